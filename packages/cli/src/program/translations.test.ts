import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const guides = ["execution-mode", "logins", "credentials", "network", "troubleshooting"];
const translations = guides.flatMap((guide) => [
  { guide, language: "ja", page: `docs/ja/${guide}.md` },
  { guide, language: "zh", page: `docs/zh/${guide}.md` },
]);
const startPages = [
  { language: "ja", page: "docs/ja/README.md" },
  { language: "zh", page: "docs/zh/README.md" },
];

const links = {
  English: (name: string) => `[日本語](ja/${name}.md) · [中文](zh/${name}.md)`,
  ja: (english: string, name: string) => `[English](${english}) · [中文](../zh/${name}.md)`,
  zh: (english: string, name: string) => `[English](${english}) · [日本語](../ja/${name}.md)`,
};

describe("A18 the guides in English, Japanese and Chinese", () => {
  test.each(guides)("docs/%s.md links to its translations, and they link back", (guide) => {
    expect(lineBelowTitle(`docs/${guide}.md`)).toBe(links.English(guide));
    expect(lineBelowTitle(`docs/ja/${guide}.md`)).toBe(links.ja(`../${guide}.md`, guide));
    expect(lineBelowTitle(`docs/zh/${guide}.md`)).toBe(links.zh(`../${guide}.md`, guide));
  });

  test.each(translations)(
    "$page has what the English page has, block by block",
    ({ guide, language, page }) => {
      const english = blocksOf(`docs/${guide}.md`).map((block) => inLanguage(language, block));
      expect(blocksOf(page).map(comparable)).toEqual(english.map(comparable));
    },
  );

  test.each(translations)("$page says every number that the English page says", ({ guide, page }) => {
    const translated = blocksOf(page);
    for (const [index, block] of blocksOf(`docs/${guide}.md`).entries())
      for (const number of numbers(block.text)) expect(translated[index]?.text).toContain(number);
  });

  test("the start pages are the same in both, with the commands of README.md", () => {
    const japanese = blocksOf("docs/ja/README.md").map(comparable);
    const chinese = blocksOf("docs/zh/README.md").map(comparable);
    const inChinese = (link: string) => link.replace("docs/ja/", "docs/zh/");
    expect(chinese).toEqual(
      japanese.map((block) => ({ ...block, links: block.links.map(inChinese).toSorted() })),
    );
    expect(japanese.flatMap((block) => block.commands)).toEqual(
      blocksOf("README.md").flatMap((block) => block.commands),
    );
  });

  test("the start pages link to each other, to README.md and to every guide", () => {
    expect(lineBelowTitle("README.md")).toBe("[日本語](docs/ja/README.md) · [中文](docs/zh/README.md)");
    expect(lineBelowTitle("docs/ja/README.md")).toBe(links.ja("../../README.md", "README"));
    expect(lineBelowTitle("docs/zh/README.md")).toBe(links.zh("../../README.md", "README"));
    for (const { language, page } of startPages)
      expect(blocksOf(page).flatMap((block) => block.links)).toEqual(
        expect.arrayContaining(guides.map((guide) => `docs/${language}/${guide}.md`)),
      );
  });

  test.each([...translations, ...startPages])("$page is written in its language", ({ language, page }) => {
    const prose = blocksOf(page).filter(({ kind }) => kind === "paragraph" || kind.endsWith("item"));
    const script = language === "ja" ? /[\p{Script=Hiragana}\p{Script=Katakana}]/u : /\p{Script=Han}/u;
    for (const { text } of prose) expect(text).toMatch(script);
    if (language === "zh") expect(read(page)).not.toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}]/u);
  });
});

test.each(everyPage())("every link of %s leads somewhere", (page) => {
  for (const target of targets(read(page)).filter((link) => !link.startsWith("https:"))) {
    const [path = "", section] = target.split("#");
    const file = path === "" ? page : resolved(page, path);
    expect(existsSync(join(root, file)), target).toBe(true);
    if (section) expect(read(file).split("\n").map(anchor), target).toContain(section);
  }
});

/** Of the whole repository, without what was installed or made. */
function everyPage(): string[] {
  const below = ["docs", "bench", "ops", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const pages = [...readdirSync(root), ...below].filter((name) => name.endsWith(".md"));
  return pages.filter((name) => !/node_modules|\/dist\//.test(name));
}

test.each([
  ["a heading of another level", "## Title", "# Title"],
  ["another command", "```sh\nls -a # all\n```", "```sh\nls -l # all\n```"],
  ["another option in the text", "Use `--a`.", "Use `--b`."],
  ["a row", "| a | b |\n|---|---|\n| c | d |", "| a | b |\n|---|---|"],
  ["an item", "- a\n- b", "- a\n  b"],
  ["a paragraph", "a\n\nb", "a\nb"],
  ["another link", "[a](a.md)", "[a](b.md)"],
])("A18 the comparison notices %s", (_, one, other) => {
  expect(blocks("docs/a.md", one).map(comparable)).not.toEqual(blocks("docs/a.md", other).map(comparable));
});

test("A18 the comparison lets comments in code be translated", () => {
  expect(commands(["ls '#a'   # everything", "# then", "cd"])).toEqual(
    commands(["ls '#a' # 全部", "# 其次", "cd"]),
  );
  expect(commands(["ls '#a' # all"])).toEqual(["ls '#a'"]);
});

interface Block {
  kind: string;
  text: string;
  code: string[];
  links: string[];
  commands: string[];
}

/** What must be the same in every language: all of a block but its words, and the order that these bring with them. */
function comparable({ kind, code, links, commands }: Block) {
  return { kind, code: code.toSorted(), links: links.toSorted(), commands };
}

/** Where the English page links to a guide, a translation links to that guide in its own language. */
function inLanguage(language: string, block: Block): Block {
  const translated = (link: string) => {
    const guide = guides.find((name) => link === `docs/${name}.md`);
    return guide ? `docs/${language}/${guide}.md` : link;
  };
  return { ...block, links: block.links.map(translated) };
}

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

function lineBelowTitle(page: string): string | undefined {
  return read(page).split("\n")[2];
}

/** The page without the line that names its other languages. */
function blocksOf(page: string): Block[] {
  const isAboutLanguages = ({ text, links }: Block) => links.length === 2 && /^ · $/.test(text);
  return blocks(page, read(page)).filter((block) => !isAboutLanguages(block));
}

/** Headings, paragraphs, list items, table rows and fenced code, in their order. */
function blocks(page: string, markdown: string): Block[] {
  const found: { kind: string; lines: string[] }[] = [];
  let open: { kind: string; lines: string[] } | undefined;
  for (const line of markdown.split("\n")) {
    const kind = kindOf(line);
    const inCode = open?.kind.startsWith("```");
    const goesOn = inCode || (kind === "paragraph" && open && !/^[#|]/.test(open.kind));
    if (line === (inCode ? "```" : "")) open = undefined;
    else if (goesOn) open?.lines.push(line);
    else {
      open = { kind, lines: [line] };
      found.push(open);
    }
  }
  return found.map(({ kind, lines }) => block(page, kind, lines));
}

function kindOf(line: string): string {
  const [heading] = /^#+(?= )/.exec(line) ?? [];
  if (line.startsWith("```")) return line;
  if (line.startsWith("|")) return `| ${line.split(/(?<!\\)\|/).length - 2} cells`;
  if (/^\s*(-|\d+\.) /.test(line)) return `${/^\s*(-|\d)/.exec(line)?.[0]} item`;
  return heading ?? "paragraph";
}

function block(page: string, kind: string, lines: string[]): Block {
  if (kind.startsWith("```"))
    return { kind, text: "", code: [], links: [], commands: commands(lines.slice(1)) };
  const text = lines.map((line) => line.trim()).join(" ");
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
  return {
    kind,
    text: text.replaceAll(/`[^`]+`/g, "").replaceAll(/\[[^\]]*\]\([^)]*\)/g, ""),
    code: [...new Set(code)],
    links: targets(text).map((target) => resolved(page, target.replace(/#.*/, ""))),
    commands: [],
  };
}

/** Commands without the comments behind them, which are translated. */
function commands(lines: string[]): string[] {
  return lines.map((line) => line.replace(/(^|\s+)#\s.*$/, ""));
}

function targets(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

function resolved(page: string, target: string): string {
  return target.startsWith("https:") ? target : normalize(join(dirname(page), target));
}

function numbers(text: string): string[] {
  return [...text.matchAll(/[\w.:/]*\d[\w.:/]*/g)].map(([number]) => number.replace(/[.:/]+$/, ""));
}

/** The name under which a heading can be linked to. */
function anchor(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
