import { z } from 'zod'
import { asError, PermanentError, RefusedTogetherError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import type { Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { LevelPage, StockLevel, StockPort } from '../../ports/ports.ts'
import { type Api, ask, isFault } from './api.ts'
import { makeEffect } from './effects.ts'
import { Amount, at, type LevelsTemplate, mapped, Optional, parsed, parseEach, resultOf } from './mapping.ts'
import type { RestOptions } from './options.ts'

const Level = z
  .object({ gtin: Optional, sku: Optional, level: Amount })
  .refine(({ gtin, sku }) => gtin !== null || sku !== null)

/** A missing list is not an empty one: the mapping may be wrong. */
const Said = z.object({
  levels: z
    .unknown()
    .refine((levels) => levels !== undefined && levels !== null)
    .transform((levels): unknown[] => [levels].flat()),
  next: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((next) => (next === undefined || next === '' ? null : next)),
})

/** The page's name is JSON, so that numbers stay numbers. */
function createLevelReader(
  api: Api,
  template: LevelsTemplate,
  destination: string,
): NonNullable<StockPort['readLevels']> {
  const where = `${destination}: stock.readLevels`
  return (location, name, { signal }) =>
    mapped(where, async () => {
      const page: unknown = name === null ? template.first : JSON.parse(name)
      const input = { location, ...(page !== undefined && { page }) }
      const over = await ask(api, { where, template, input, signal })
      const said = at('answer', () => resultOf(template.answer, over))
      return pageOf(where, said, page)
    })
}

function pageOf(where: string, said: unknown, page: unknown): LevelPage {
  const { levels: listed, next } = parsed(`${where}.answer`, said, Said)
  const entries = parseEach(`${where}.answer`, listed, Level, 'levels')
  const levels = entries.flatMap((entry) => ('value' in entry ? entry.value : []))
  const unread = entries.flatMap((entry, index) => ('value' in entry ? [] : levelName(entry.unreadable, index)))
  if (next !== null && next === page)
    throw new PermanentError(`${where}.answer gives as \`next\` the page that was asked for`, { code: 'bad-answer' })
  return { levels, next: next === null ? null : JSON.stringify(next), ...(unread.length > 0 && { unread }) }
}

function levelName(level: unknown, index: number): string {
  const [name = `levels.${index}`] = ['sku', 'gtin'].flatMap((key) => Optional.safeParse(field(level, key)).data ?? [])
  return name
}

type Written = NonNullable<RestOptions['stock']>

export function createStock(api: Api, { setLevels, readLevels }: Written, destination: string): StockPort {
  const { atOnce, ...request } = setLevels
  const written = { ...request, idempotent: true }
  const method = { where: `${destination}: stock.setLevels`, written, once: false }

  async function send(items: Batch<StockLevel>): Promise<BatchResult> {
    const [first] = items
    if (!first) return []
    const levels = items.map(({ argument }) => argument)
    const subject = { input: { stock: levels[0], levels }, known: null, made: null }
    try {
      const effect = await makeEffect(api, method, subject, first.attempt)
      return items.map(() => effect)
    } catch (error) {
      const failure = failureOf(error, items.length)
      return items.map(() => failure)
    }
  }

  return {
    ...(readLevels && { readLevels: createLevelReader(api, readLevels, destination) }),
    async setLevels(batch) {
      const results: (Effect | Error)[] = []
      for (let start = 0; start < batch.length; start += atOnce) {
        const sent = await send(batch.slice(start, start + atOnce))
        results.push(...sent)
        const fault = sent.find(isFault)
        if (fault) return [...results, ...batch.slice(results.length).map(() => fault)]
      }
      return results
    },
  }
}

function failureOf(error: unknown, count: number): Error {
  if (count === 1 || !(error instanceof PermanentError)) return asError(error)
  return RefusedTogetherError.of(error)
}
