import { describe, expect, test } from 'bun:test'

import { usableAddress } from '../../../../src/core/extract/page/usable-address.ts'

const PAGE = 'https://www.example.com/stories/page?id=1'

const usable = (address: string, page = PAGE) => usableAddress(address, { url: new URL(page), baseUrl: page })?.href

describe('an address that somebody else can open', () => {
  test.each<[address: string, expected: string | undefined]>([
    ['/a.png', 'https://www.example.com/a.png'],
    [' https://cdn.example.com/a.png ', 'https://cdn.example.com/a.png'],
    ['//cdn.example.com/a.png', 'https://cdn.example.com/a.png'],
    ['data:image/png;base64,AA', undefined],
    ['', undefined],
    // Hosts of private networks.
    ['http://localhost:3000/a.png', undefined],
    ['http://127.0.0.1:8080/a.png', undefined],
    ['http://[::1]/a.png', undefined],
    ['http://192.168.1.2/a.png', undefined],
    ['http://app.localhost/a.png', undefined],
    ['http://printer.local/a.png', undefined],
    ['http://web/a.png', undefined],
    ['http://93.184.216.34/a.png', 'http://93.184.216.34/a.png'],
    ['http://[2606:4700::1111]/a.png', 'http://[2606:4700::1111]/a.png'],
    // Variables that were not replaced.
    ['%PUBLIC_URL%/logo512.png', undefined],
    ['<%= BASE_URL %>favicon.ico', undefined],
    ['%sveltekit.assets%/favicon.png', undefined],
    ['$BASE_URL/a.png', undefined],
    ['${image}', undefined],
    ['https://www.example.com/${image}', undefined],
    ['https://www.example.com/{{ image }}', undefined],
    ['{% static "a.png" %}', undefined],
    ['<?php echo $image ?>', undefined],
    ['/100%25-rye/%E2%9C%93.png', 'https://www.example.com/100%25-rye/%E2%9C%93.png'],
    ['/%CE%BB%CE%BF.png', 'https://www.example.com/%CE%BB%CE%BF.png'],
    ['/a$b.png', 'https://www.example.com/a$b.png'],
    // Missing values.
    ['undefined', undefined],
    ['https://www.example.com/undefined', undefined],
    ['/images/null', undefined],
    ['https://www.example.com/[object Object]', undefined],
    ['/Array', undefined],
    ['/undefined-behavior.png', 'https://www.example.com/undefined-behavior.png'],
    ['/og?image=null', 'https://www.example.com/og?image=null'],
    // Broken, but clear.
    ['http://https://cdn.example.com/a.png', 'https://cdn.example.com/a.png'],
    ['https//cdn.example.com/a.png', 'https://cdn.example.com/a.png'],
    ['www.example.com/a.png', 'https://www.example.com/a.png'],
    ['www.images/a.png', 'https://www.example.com/stories/www.images/a.png'],
    ['cdn.example.com/a.png', 'https://www.example.com/stories/cdn.example.com/a.png'],
    ['/a.png?w=1&amp;h=2', 'https://www.example.com/a.png?w=1&h=2'],
    ['/a.png?w=1&amp;amp;h=2&#038;c=3', 'https://www.example.com/a.png?w=1&h=2&c=3'],
    ['/a.png?t=Q&amp;A', 'https://www.example.com/a.png?t=Q&amp;A'],
    ['/a.png?a=1&copy=2', 'https://www.example.com/a.png?a=1&copy=2'],
    // Lists.
    ['https://cdn.example.com/a.png, https://cdn.example.com/b.png', undefined],
    ['https://cdn.example.com/a.png https://cdn.example.com/b.png', undefined],
    ['/fit/https://cdn.example.com/a.png', 'https://www.example.com/fit/https://cdn.example.com/a.png'],
    ['/w_1200,h_630,c_fill/a.png', 'https://www.example.com/w_1200,h_630,c_fill/a.png'],
  ])('%s', (address, expected) => expect(usable(address)).toBe(expected))

  test.each<[address: string, page: string, expected: string]>([
    ['http://localhost:3000/a.png', 'http://localhost:3000/page', 'http://localhost:3000/a.png'],
    ['http://10.0.0.2/a.png', 'http://intranet/page', 'http://10.0.0.2/a.png'],
    ['/docs/undefined', 'https://docs.example.com/docs/undefined', 'https://docs.example.com/docs/undefined'],
  ])('%s on %s', (address, page, expected) => expect(usable(address, page)).toBe(expected))
})
