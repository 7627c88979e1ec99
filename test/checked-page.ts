import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * A part of a page that follows from the program, between `<!-- name -->` and `<!-- /name -->`, is as the program has it.
 * `UPDATE_PAGES=1 npx vitest run test/docs/docs.test.ts` writes it anew.
 */
export function expectPart(page: string, name: string, part: string): void {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const whole = readFileSync(`${ROOT}${page}`, 'utf8')
  const [from, to] = [whole.indexOf(begin) + begin.length, whole.indexOf(end)]
  expect(to, `${page} has ${begin.trim()} and ${end}`).toBeGreaterThanOrEqual(from)
  const written = `\n${part.trim()}\n\n`
  if (process.env.UPDATE_PAGES === '1')
    writeFileSync(`${ROOT}${page}`, whole.slice(0, from) + written + whole.slice(to))
  else
    expect(whole.slice(from, to), `${page}, ${name}: UPDATE_PAGES=1 npx vitest run test/docs/docs.test.ts`).toBe(
      written,
    )
}
