import { describe, expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

describe('a title', () => {
  test.each<[written: string, expected: string]>([
    // Templates that were not filled in: the title element is used.
    ['%%title%% %%sep%% %%sitename%%', 'Rye bread'],
    ['__META_TITLE__', 'Rye bread'],
    ['&lt;?php echo $title; ?>', 'Rye bread'],
    ['{% block title %}{% endblock %}', 'Rye bread'],
    ['[[*longtitle]]', 'Rye bread'],
    ['@ViewBag.Title - Example', 'Rye bread'],
    ['%%title%% | Example', 'Rye bread'],
    // Only the name of the site was filled in.
    ['undefined | Example', 'Rye bread'],
    ['- Example Site', 'Rye bread'],
    ['| Example', 'Rye bread'],
    // Text about such things.
    ['100% rye, 50% off: what %CPU means', '100% rye, 50% off: what %CPU means'],
    ['What __init__ does in Python', 'What __init__ does in Python'],
    ['__init__ explained', '__init__ explained'],
    ['[[Wiki]] - links explained', '[[Wiki]] - links explained'],
    ['Why &lt;?php tags stay open', 'Why <?php tags stay open'],
    ['{% raw %}', '{% raw %}'],
    ['-40 °C in the north', '-40 °C in the north'],
    ['undefined behavior', 'undefined behavior'],
    // Encodings, escapes and markup.
    ['Launch &#55357;&#56960; day', 'Launch 🚀 day'],
    ['Half &#55357; and &#56960;', 'Half \ufffd and'],
    ['PB&amp;amp;J smoothie', 'PB&J smoothie'],
    ['What &amp;amp; and &amp;lt; mean', 'What &amp; and &lt; mean'],
    ["Dog\\'s life", "Dog's life"],
    ['A\\u00a0day', 'A day'],
    ['What \\d+ and \\u0041 mean', 'What \\d+ and \\u0041 mean'],
    ['A story&lt;!-- --&gt; | &lt;!-- --&gt;Example', 'A story | Example'],
    ['What &lt;!-- comments --&gt; are', 'What <!-- comments --> are'],
    ['Use the &lt;b&gt; tag', 'Use the <b> tag'],
  ])('%s', (written, expected) => {
    expect(metadataOf(`<title>Rye bread</title><meta property="og:title" content="${written}">`).title).toBe(expected)
  })

  test.each([
    ['- Example Site', 'Example Site'],
    ['undefined - JavaScript | Docs', 'undefined - JavaScript | Docs'],
  ])('%s without another title', (written, expected) => {
    expect(metadataOf(`<title>${written}</title><meta property="og:title" content="${written}">`).title).toBe(expected)
  })
})

describe('a description', () => {
  test.each<[written: string, expected: string]>([
    ['&lt;p&gt;We bake bread in', 'We bake bread in'],
    ['&lt;!-- wp:paragraph --&gt; &lt;p&gt;We bake.&lt;/p&gt; &lt;!-- /wp:paragraph --&gt;', 'We bake.'],
    ['[vc_row type=&quot;full&quot;][vc_column_text]We bake.[/vc_column_text][/vc_row]', 'We bake.'],
    ['[caption id=&quot;1&quot;]We bake.[/caption]', 'We bake.'],
    ['[Update] We bake bread [again]', '[Update] We bake bread [again]'],
    ['When a &lt; b and b &gt; c', 'When a < b and b > c'],
    ['Map&lt;String, List&lt;T&gt;&gt; explained', 'Map<String, List<T>> explained'],
    ['We bake f\ufffd', 'We bake f'],
    ['A \ufffd in the middle', 'A \ufffd in the middle'],
  ])('%s', (written, expected) => {
    expect(metadataOf(`<meta property="og:description" content="${written}">`).description).toBe(expected)
  })
})

test.each<[written: string, expected: string | undefined]>([
  ['Example Bakery |', 'Example Bakery'],
  ['https://www.site.test/', undefined],
  ['Example.com', 'Example.com'],
])('the name of the site in %s', (written, expected) => {
  expect(metadataOf(`<meta property="og:site_name" content="${written}">`).site_name).toBe(expected)
})

test('tags in a name are removed', () => {
  const author = { '@type': 'Person', name: '<a href="/people/jo" hreflang="en">Jo Doe</a>' }
  const article = JSON.stringify({ '@type': 'Article', author })
  expect(metadataOf(`<script type="application/ld+json">${article}</script>`).meta?.author).toBe('Jo Doe')
})
