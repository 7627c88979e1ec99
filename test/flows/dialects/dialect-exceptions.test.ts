import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { EXCEPTIONS } from '../../dialect-stories.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
const NAMES = FILES.map(nameOf)

/** Every `onlyIn` of the stories, as it is written there. */
const ONLY = FILES.flatMap((file) =>
  [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/onlyIn\(\s*\[([^\]]*)\],\s*'([^']*)'/g)].map(
    ([, dialects = '', why]) => `${nameOf(file)}, ${dialects.replaceAll("'", '')}: ${why}`,
  ),
)

test('When a story is not played in a dialect, then it is one of these, each with its reason', () => {
  const counted = [...Map.groupBy(ONLY, (line) => line)].map(([line, all]) => `${all.length} of ${line}`)
  expect(counted.sort()).toMatchInlineSnapshot(`
    [
      "1 of back-office, facts, frontsystems-v2: it writes the payload of a settlement itself, which spec does not show",
      "1 of back-office, spec, facts: no end of a reservation has a time in the nearest public record",
      "1 of back-office, spec, facts: the nearest public record of a correction has no id",
      "1 of back-office, spec, facts: the nearest public record of a gift card has no currency",
      "1 of back-office, spec, facts: the nearest public record of a transfer has no time",
      "1 of customers, facts, frontsystems-v2: it writes the payload of a customer itself, which spec does not show",
      "1 of files-intake, facts, frontsystems-v2: without a bulk path, 4,000 products go one by one",
      "1 of messages-story, facts, frontsystems-v2: the specification shows no lookup of the name of goods",
      "1 of mirror, facts, frontsystems-v2: the specification names a level at an instant, and no path to it",
      "1 of pickup-order, facts, frontsystems-v2: the specification shows no order to read",
      "1 of same-id, facts: it asks the platform as frontsystems-v2 itself",
      "2 of customers, facts, frontsystems-v2: it reads what the platform told in its own words, which spec does not show",
      "2 of forged-webhook, facts: the public documentation shows how to read an order, so that no doubt is left",
      "2 of reported, facts, frontsystems-v2: it reads what the platform told in its own words, which spec does not show",
      "4 of expired-order, facts: it reads the state of a reservation in the words of facts",
    ]
  `)
})

test('When a whole file is not played in a dialect, then it is there, and its reason is', () => {
  expect(Object.keys(EXCEPTIONS).filter((name) => !NAMES.includes(name))).toEqual([])
  expect(Object.values(EXCEPTIONS).filter(({ why, not }) => why === '' || not.length === 0)).toEqual([])
  const inBoth = NAMES.filter((name) => !EXCEPTIONS[name])
  expect({ files: NAMES.length, inBoth: inBoth.length }).toMatchInlineSnapshot(`
    {
      "files": 94,
      "inBoth": 42,
    }
  `)
})

test('When a file says that no platform speaks in it, then it starts none', () => {
  const starts = /givenPlatform|startPlatform|openStorage|openBooked|openCounter|shareOnlineStore|startSandbox/
  const silent = Object.entries(EXCEPTIONS).filter(([, { why }]) => why.startsWith('no platform speaks'))
  expect(silent.length).toBeGreaterThan(0)
  const sourceOf = (name: string) => readFileSync(join(FOLDER, FILES[NAMES.indexOf(name)] ?? name), 'utf8')
  const loud = silent.filter(([name]) => starts.test(sourceOf(name)))
  expect(loud.map(([name]) => name)).toEqual([])
})

/** A story file by its name alone, whatever folder it stands in, slow or not. */
function nameOf(file: string): string {
  return basename(file).replace(/(\.slow)?\.test\.ts$/, '')
}
