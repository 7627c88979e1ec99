import { describe, expect, test } from 'vitest'
import type { Link } from '../../src/domain/orders/link.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { type AppliedQuantity, type ArticleQuantity, readApplied } from '../../src/flows/context.ts'

const REFUND = {
  kind: 'returned',
  id: 'A1/R1/row-1',
  level: parseDecimal(2),
  effects: 'order/A1/returned/R1/row-1/',
  article: null,
} as const

/** What destinations were told before, and the effects that people skipped; `asked`: how many ids each question was about. */
function booksOf(links: readonly Link[], skipped: readonly string[] = [], asked: number[] = []) {
  return {
    links: async (destination: string, kind: string, ids: readonly string[]) => {
      asked.push(ids.length)
      return links.filter((link) => link.destination === destination && link.kind === kind && ids.includes(link.id))
    },
    effectsOf: async (how: 'delivered' | 'skipped', beginning: string) =>
      how === 'skipped' ? skipped.filter((effect) => effect.startsWith(beginning)) : [],
  }
}

/** The office was told of so many, or of a name. */
function link(id: string, theirId: string, kind = 'returned'): Link {
  return { destination: 'office', kind, id, theirId, isLevel: true }
}

async function reportedOf(applied: AppliedQuantity, links: readonly Link[], skipped: readonly string[] = []) {
  return (await readApplied(applied, 'office', booksOf(links, skipped))).reported
}

test('When a shop releases money, then what it was told and that it paid are handed on to who takes over from it', async () => {
  const { reported, paid, kept } = await readApplied({ ...REFUND, pays: true }, 'shop', booksOf([]))
  expect({ reported, paid }).toEqual({ reported: '0', paid: false })
  const line = { destination: 'shop', id: REFUND.id, isLevel: true }
  expect(kept).toEqual([
    { ...line, kind: 'paid', theirId: '2' },
    { ...line, kind: 'returned', theirId: '2' },
  ])
})

test('When the one before it has paid a part, then that counts, and the rest is told', async () => {
  const before = (kind: string): Link => ({ destination: 'office', kind, id: REFUND.id, theirId: '1', isLevel: true })
  const { reported, paid } = await readApplied(REFUND, 'office', booksOf([before('paid'), before('returned')]))
  expect({ reported, paid }).toEqual({ reported: '1', paid: true })
})

test('When it was told of several levels of a line, then the highest counts; what another was told, or of another line, does not', async () => {
  const { id } = REFUND
  expect(
    await reportedOf({ ...REFUND, level: parseDecimal(5) }, [link(id, '3'), link(id, '1'), link('A1/R1/row-2', '4')]),
  ).toBe('3')
  expect(await reportedOf(REFUND, [{ ...link(id, '1'), destination: 'shop' }])).toBe('0')
})

test('When a person has skipped a level of it, then that is settled; one whose quantity nobody can read is not', async () => {
  const skipped = ['1', '2%2E5', 'unread', '%E0%A4%A'].map((level) => `${REFUND.effects}${level}`)
  const applied = { ...REFUND, level: parseDecimal(4) }
  expect(await reportedOf(applied, [], skipped)).toBe('2.5')
  expect(await reportedOf(applied, [link(REFUND.id, '3')], skipped)).toBe('3')
  const { kept } = await readApplied(applied, 'office', booksOf([], skipped))
  expect(kept.map(({ theirId }) => theirId)).toEqual(['4'])
})
describe('when orders of one number were not distinguished before', () => {
  const ofNumber = { id: '#A1/R1/row-1', effects: 'order/#A1/returned/R1/row-1/', of: '#A1/R1/' }
  const applied = { ...REFUND, ofNumber }

  test('then what was told, or skipped, by the name of that time counts, too', async () => {
    expect(await reportedOf(applied, [link(ofNumber.id, '1')])).toBe('1')
    expect(await reportedOf(applied, [link(ofNumber.id, '1'), link(REFUND.id, '2')])).toBe('2')
    expect(await reportedOf(applied, [], [`${ofNumber.effects}2`])).toBe('2')
    expect(await reportedOf(REFUND, [link(ofNumber.id, '1')], [`${ofNumber.effects}2`])).toBe('0')
  })

  test('and the line had another name then, too, then that counts once for each name, the higher of both', async () => {
    const article = { of: 'A1/R1/', key: 'tee', keys: ['row-1'], level: parseDecimal(3) }
    const reported = [link('#A1/R1/tee', 'tee', 'returned-as'), link('#A1/R1/tee', '2'), link('A1/R1/tee', '1')]
    expect(await reportedOf({ ...applied, article, level: parseDecimal(3) }, reported)).toBe('2')
  })
})

describe('when the lines of an article go by other names than before', () => {
  const article: ArticleQuantity = { of: 'A1/R1/', key: 'tee', keys: ['row-1'], level: parseDecimal(2) }
  const asTee = link('A1/R1/tee', 'tee', 'returned-as')
  const applied = { ...REFUND, article }

  test('then today’s name is kept for the next time, beside the level', async () => {
    const { kept } = await readApplied(applied, 'office', booksOf([]))
    expect(kept).toEqual([link('A1/R1/row-1', '2'), link('A1/R1/tee', 'row-1', 'returned-as')])
  })

  test('and it was told by the article alone before the line got a row, then only the rest is told', async () => {
    expect(await reportedOf(applied, [asTee, link('A1/R1/tee', '1')])).toBe('1')
    expect(await reportedOf(applied, [asTee, link('A1/R1/tee', '2')])).toBe('2')
  })

  test('and the line has lost its row, then what was told by that counts', async () => {
    const alone = { ...applied, id: 'A1/R1/tee', article: { ...article, keys: ['tee'] } }
    expect(await reportedOf(alone, [link('A1/R1/tee', 'row-1', 'returned-as'), link('A1/R1/row-1', '1')])).toBe('1')
  })

  test('and there are more of the article than of the line, then the line alone says how many are left', async () => {
    const more = { ...applied, article: { ...article, level: parseDecimal(9) } }
    expect(await reportedOf(more, [asTee, link('A1/R1/tee', '1')])).toBe('0')
    expect(await reportedOf(more, [asTee, link('A1/R1/tee', '1'), link('A1/R1/row-1', '1')])).toBe('1')
  })

  test('then a name that the event still has, or that of a row beside this one, changes nothing', async () => {
    const beside = link('A1/R1/tee', 'row-2', 'returned-as')
    const both = { ...applied, article: { ...article, keys: ['row-1', 'row-2'] } }
    expect(await reportedOf(both, [beside, link('A1/R1/row-2', '2')])).toBe('0')
    expect(await reportedOf(applied, [beside, link('A1/R1/row-2', '2')])).toBe('0')
    const alone = { ...applied, id: 'A1/R1/tee', article: { ...article, keys: ['tee', 'row-2'] } }
    expect(await reportedOf(alone, [beside, link('A1/R1/row-2', '2')])).toBe('0')
    expect(await reportedOf({ ...applied, article: null }, [asTee, link('A1/R1/tee', '2')])).toBe('0')
  })

  test('and there are more names than the store takes in one question, then it is asked several times', async () => {
    const keysOf = (count: number) => Array.from({ length: count }, (_, no) => `row-${no + 1}`)
    const asked = async (count: number) => {
      const questions: number[] = []
      const many = { ...applied, article: { ...article, keys: keysOf(count), level: parseDecimal(1_000) } }
      const reported = [asTee, link('A1/R1/tee', '999'), link(`A1/R1/row-${count}`, '1')]
      expect((await readApplied(many, 'office', booksOf(reported, [], questions))).reported).toBe('2')
      // Of one thing it is asked about the line, and what was paid.
      return questions.filter((ids) => ids !== 1)
    }
    expect(await asked(499)).toEqual([500])
    expect(await asked(700)).toEqual([500, 201])
  })
})
