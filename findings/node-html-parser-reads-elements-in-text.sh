#!/usr/bin/env bash
# node-html-parser 9.0.7: querySelectorAll() finds elements in <textarea>, <iframe>, <noembed> and <template>.
#
# Pages show tags to copy in a <textarea>, and keep parts for later in a <template>.
#
# Expected: the elements that a browser's querySelectorAll() finds. In the first three, the HTML Standard knows only text,
# and the content of a template belongs to another document.
# Seen: they are elements like others, so a reader that takes the last `og:title` takes one that was to be copied. parse5
# finds only the tag of the page itself.
#
# Needs Node and npm. Exits with 1 if the behavior has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund node-html-parser@9.0.7 parse5@8.1.1 >/dev/null
cat >read.mjs <<'JS'
import { parse } from 'node-html-parser'
import { parse as parse5 } from 'parse5'

const meta = (content) => `<meta property="og:title" content="${content}">`
const html = `<!doctype html><html><head>${meta('head')}</head><body>
${['template', 'textarea', 'iframe', 'noembed', 'script', 'style'].map((name) => `<${name}>${meta(name)}</${name}>`).join('\n')}
</body></html>`

const list = (contents) => contents.join(', ')
console.log(`node-html-parser: ${list(parse(html).querySelectorAll('meta').map((found) => found.getAttribute('content')))}`)

function* metas(node) {
  if (node.nodeName === 'meta') yield node.attrs.find(({ name }) => name === 'content').value
  for (const child of node.childNodes ?? []) yield* metas(child)
}
console.log(`parse5: ${list([...metas(parse5(html))])}`)
JS
seen=$(node read.mjs)
printf '%s\n' "$seen"

# The output of versions 9.0.7 and 8.1.1:
diff <(printf '%s\n' "$seen") - <<'EOF'
node-html-parser: head, template, textarea, iframe, noembed
parse5: head
EOF
