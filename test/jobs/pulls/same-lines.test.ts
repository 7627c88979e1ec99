import { expect, test } from 'vitest'
import { sameLines } from '../../../src/jobs/pulls/goods-deliveries.ts'

/* Lines of a delivery as webhooks name them, and sizes as the list names them: `A:10` is identifier A, and 10 are expected. */

function reported(written: string) {
  return written.split(' ').flatMap((one) => {
    const [, identifier = '', gtin = null] = /^(\w+)(?:=(\w+))?:\d+$/.exec(one) ?? []
    return identifier ? [{ article: gtin ?? identifier, gtin, identifier }] : []
  })
}

function listed(written: string) {
  return written.split(' ').map((one) => {
    const [gtin = ''] = one.split(':')
    return { gtin: gtin === '-' ? null : gtin }
  })
}

test.each([
  ['the identifier is the GTIN', 'G1:10 G2:5', 'G1:10 G2:5', 'G1=G1 G2=G2', '', true],
  ['the GTIN is told', 'A=G1:10', 'G1:10', 'G1=A', '', true],
  ['the list goes by the identifier', 'A=G1:10', 'A:10', 'A=A', '', true],
  ['nothing else is left, even of another quantity', 'A:10 B=G2:5', 'G1:12 G2:5', 'G1=A G2=B', '', true],
  ['several are left', 'A:10 B:5', 'G1:5 G2:10', '', 'A B', false],
  ['several of the list are left', 'A:10', 'G1:10 G2:5', '', 'A', false],
  ['it is freight, which has no GTIN there either', 'F:1', 'G1:1 -:1', '', 'F', true],
  ['freight and goods are without one', 'F:1 A:10', 'G1:10 -:1', '', 'F A', false],
  ['nothing was told', '', 'G1:10', '', '', true],
])('When %s, then that is the line', (_, lines, sizes, same, alone, areOthers) => {
  const found = sameLines(reported(lines), listed(sizes))
  const pairs = [...found.lineOf].map(([gtin, { identifier }]) => `${gtin}=${identifier}`)
  expect(pairs.sort().join(' ')).toBe(same)
  expect(found.alone.map(({ identifier }) => identifier).join(' ')).toBe(alone)
  expect(found.areOthers).toBe(areOthers)
})
