import { mount } from "svelte";

import "./app.css";
import App from "./App.svelte";
import { i18n } from "./lib/i18n.svelte";

await i18n.begin();
mount(App, { target: document.getElementById("app")! });
