"""The API reference: Markdown pages generated from openapi.yaml, one for each tag."""

import json
import re
from pathlib import Path

import yaml

METHODS = ("get", "put", "post", "patch", "delete", "head")


def load(path: Path) -> "Reference":
    return Reference(yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def cell(text: str | None) -> str:
    """Text within one cell of a table."""
    return re.sub(r"\s+", " ", text or "").strip().replace("|", "\\|")


def example(value) -> str:
    return "```json\n" + json.dumps(value, ensure_ascii=False, indent=2) + "\n```\n"


class Reference:
    """The pages of one OpenAPI document."""

    def __init__(self, document: dict) -> None:
        self.document = document
        self.schemas: dict[str, dict] = document["components"]["schemas"]

    def pages(self) -> dict[str, str]:
        """The text of each page by its path."""
        tags = {tag["name"]: tag.get("description", "") for tag in self.document["tags"]}
        operations = {name: [] for name in tags}
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method in METHODS:
                    operations[operation["tags"][0]].append((method, path, operation, item.get("parameters", [])))
        made = {"api/index.md": self.index(tags, operations)}
        for name, description in tags.items():
            made[f"api/{name}.md"] = f"# {name.capitalize()}\n\n{description}\n" + "\n".join(self.operation(*each) for each in operations[name])
        made["api/schemas.md"] = self.schema_page()
        return made

    def index(self, tags: dict[str, str], operations: dict[str, list]) -> str:
        lines = [
            "# HTTP API",
            "",
            self.document["info"]["description"],
            "",
            "The specification itself: [openapi.yaml](openapi.yaml); a server serves it at `/openapi.json`.",
            "",
        ]
        for name in tags:
            lines += [f"## [{name.capitalize()}]({name}.md) {{#{name}}}", "", "| call | does |", "|---|---|"]
            lines += [
                f"| `{method.upper()} {path}` | [{operation['summary']}]({name}.md#{operation['operationId']}) |"
                for method, path, operation, _ in operations[name]
            ]
            lines.append("")
        return "\n".join(lines)

    def operation(self, method: str, path: str, operation: dict, shared: list) -> str:
        lines = ["", f"## {operation['summary']} {{#{operation['operationId']}}}", ""]
        lines += [
            f'<p class="call" markdown><span class="method {method}">{method.upper()}</span> `{path}`</p>',
            "",
            operation.get("description", ""),
            "",
        ]
        if operation.get("security") == []:
            lines += ["Needs no token.", ""]
        parameters = [self.found(p) for p in [*shared, *operation.get("parameters", [])]]
        if parameters:
            lines += ["| parameter | in | type | |", "|---|---|---|---|"]
            for p in parameters:
                required = " (required)" if p.get("required") and p["in"] != "path" else ""
                lines.append(f"| `{p['name']}` | {p['in']}{required} | {self.type(p['schema'])} | {cell(p.get('description'))} |")
            lines.append("")
        if body := operation.get("requestBody"):
            lines += self.body(self.found(body))
        return "\n".join([*lines, *self.responses(operation["responses"])]) + "\n"

    def body(self, body: dict) -> list[str]:
        lines = ["**Body**", ""]
        if body.get("description"):
            lines += [body["description"], ""]
        for kind, content in body["content"].items():
            schema = content.get("schema", {})
            lines += [f"`{kind}`: {self.type(schema)}", "", *self.properties(schema)]
            for each in content.get("examples", {}).values():
                lines += [f"{each.get('summary', 'An example')}:", "", example(each["value"])]
            if "example" in content:
                lines += ["An example:", "", example(content["example"])]
        return lines

    def responses(self, responses: dict) -> list[str]:
        lines = ["**Answers**", "", "| status | body | |", "|---|---|---|"]
        for status, response in responses.items():
            response = self.found(response)
            contents = response.get("content", {})
            kinds = [self.type(c["schema"]) if "json" in kind and "schema" in c else f"`{kind}`" for kind, c in contents.items()]
            lines.append(
                f"| {'other' if status == 'default' else status} | {' or '.join(dict.fromkeys(kinds))} | {cell(response.get('description'))} |"
            )
        return [*lines, ""]

    def schema_page(self) -> str:
        lines = ["# Schemas", "", "The bodies of requests and answers. Fields that are not listed are refused.", ""]
        for name in sorted(self.schemas):
            schema = self.schemas[name]
            lines += [f"## {name}", ""]
            if schema.get("description"):
                lines += [schema["description"], ""]
            if "properties" in schema or "allOf" in schema:
                lines += self.properties(schema)
            else:
                lines += [self.type(schema), ""]
        return "\n".join(lines)

    def properties(self, schema: dict) -> list[str]:
        """A table of the fields of an unnamed object."""
        rows = []
        for part in [schema, *schema.get("allOf", [])]:
            for name, field in part.get("properties", {}).items():
                required = " *" if name in part.get("required", []) else ""
                text = field.get("description") or (self.found(field).get("description") if "$ref" in field else "")
                rows.append(f"| `{name}`{required} | {self.type(field)} | {cell(text)} |")
        if not rows:
            return []
        bases = [self.type(part) for part in schema.get("allOf", []) if "$ref" in part]
        lines = [f"All fields of {' and '.join(bases)}, and:", ""] if bases else []
        lines += ["| field | type | |", "|---|---|---|", *rows, ""]
        return [*lines, "\\* always present", ""] if any(" * |" in row.split("|")[1] + "|" for row in rows) else lines

    def found(self, part: dict) -> dict:
        """The target of a reference; other values unchanged."""
        while "$ref" in part:
            target = self.document
            for step in part["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            part = target
        return part

    def type(self, schema: dict) -> str:
        """A type in a few words, with a link if it has a name."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f"[{name}](schemas.md#{name.lower()})"
        for group, word in (("allOf", " and "), ("oneOf", " or "), ("anyOf", " or ")):
            if group in schema:
                return word.join(dict.fromkeys(self.type(part) for part in schema[group]))
        if "enum" in schema:
            return " or ".join(f"`{cell(str(value))}`" for value in schema["enum"])
        kind = schema.get("type", "any JSON")
        if kind == "array":
            return f"list of {self.type(schema['items'])}{self.bounds(schema, 'Items', '')}"
        if kind == "object" and isinstance(extra := schema.get("additionalProperties"), dict):
            return f"object of {self.type(extra)}"
        text = schema.get("format", kind) if schema.get("format") in ("date-time", "uri", "uuid") else kind
        text += self.bounds(schema, "Length", " characters") + self.bounds(schema, "imum", "")
        if "default" in schema:
            text += f", default `{json.dumps(schema['default'])}`"
        return text

    @staticmethod
    def bounds(schema: dict, what: str, unit: str) -> str:
        low, high = schema.get("min" + what), schema.get("max" + what)
        if low is None and high is None:
            return ""
        if high is None:
            return f", at least {low:,}{unit}"
        return f", {low:,} to {high:,}{unit}" if low is not None else f", at most {high:,}{unit}"
