import { describe, expect, test } from 'bun:test'

import { createLineWriter } from '../../src/log/line-writer.ts'

/** An output whose state is set by the test. */
function openOutput() {
  const output = {
    text: '',
    state: 'open' as 'open' | 'full' | 'hanging',
    pending: '',
    resolve: () => {},
    write(text: string): unknown {
      if (output.state === 'full') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return (output.pending += text)
    },
    flush(): unknown {
      const done = () => {
        output.text += output.pending
        output.pending = ''
      }
      if (output.state === 'open') return done()
      const { promise, resolve } = Promise.withResolvers<void>()
      output.resolve = () => {
        output.state = 'open'
        resolve()
      }
      return (async () => {
        await promise
        done()
      })()
    },
  }
  return { output, writer: createLineWriter(output, (lines) => `lost ${lines}\n`) }
}

describe('a line writer', () => {
  test('writes a line before `write` returns, if the output is ready', () => {
    const { output, writer } = openOutput()
    writer.write('one\n')
    expect(output.text).toBe('one\n')
  })

  test('buffers lines for a slow reader, in order', async () => {
    const { output, writer } = openOutput()
    output.state = 'hanging'
    for (const line of ['one\n', 'two\n', 'three\n']) writer.write(line)
    expect([output.text, await writer.flush(1)]).toEqual(['', false])
    output.resolve()
    expect(await writer.flush(5_000)).toBe(true)
    expect(output.text).toBe('one\ntwo\nthree\n')
  })

  test('drops lines beyond its buffer, and writes their number later', async () => {
    const { output, writer } = openOutput()
    output.state = 'hanging'
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`
    for (let n = 0; n < 11; n++) writer.write(line)
    output.resolve()
    await writer.flush(5_000)
    writer.write('after\n')
    expect(output.text.split('\n').filter((text) => !text.startsWith('x'))).toEqual(['', 'lost 3', 'after', ''])
    expect(output.text.match(/x\n/g)).toHaveLength(8)
  })

  test('counts lines that are dropped while the number of earlier ones is written', async () => {
    const { output, writer } = openOutput()
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`
    output.state = 'full'
    writer.write('one\n')
    output.state = 'hanging'
    for (let n = 0; n < 11; n++) writer.write(line)
    output.resolve()
    await writer.flush(5_000)
    writer.write('after\n')
    expect(output.text.split('\n').filter((text) => !text.startsWith('x'))).toEqual([
      '',
      'lost 1',
      '',
      'lost 3',
      'after',
      '',
    ])
  })

  test('never throws on a full disk, and writes the number of dropped lines later', () => {
    const { output, writer } = openOutput()
    writer.write('before\n')
    output.state = 'full'
    writer.write('one\ntwo\n')
    writer.write('three\n')
    output.state = 'open'
    writer.write('after\n')
    writer.write('last\n')
    expect(output.text).toBe('before\n\nlost 3\nafter\nlast\n')
  })

  // A `Bun.FileSink` writes a text of more than 4 KB in `write`, and a shorter one in `flush`.
  test.each(['write', 'flush'] as const)('finishes when the reader is gone, seen by `%s`', async (method) => {
    const { output, writer } = openOutput()
    output[method] = () => Promise.reject(new Error('broken pipe'))
    writer.write('one\n')
    expect(await writer.flush(5_000)).toBe(true)
    expect(writer.failure()?.message).toBe('broken pipe')
  })
})
