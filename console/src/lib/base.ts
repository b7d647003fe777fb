// base is the address of the service without a slash at its end: the console is at console/ below it.
export const base = new URL("..", location.href).href.replace(/\/$/, "");
