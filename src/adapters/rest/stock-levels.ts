import { z } from 'zod'
import { PermanentError } from '../../domain/values/errors.ts'
import type { LevelPage, StockPort } from '../../ports/stock.ts'
import { ask } from './ask.ts'
import type { Api } from './asking/api.ts'
import { resultOf } from './mapping/expression.ts'
import { at, withoutData } from './mapping/mapping-error.ts'
import type { LevelsTemplate } from './mapping/template.ts'
import { Amount, Optional, placesOf } from './mapping/wire.ts'

const Level = z
  .object({ gtin: Optional, sku: Optional, level: Amount })
  .refine(({ gtin, sku }) => gtin !== null || sku !== null)

/** A list that is missing is no empty one: what the mapping looks for may not be in the answer. */
const Said = z.object({
  levels: z
    .unknown()
    .refine((levels) => levels !== undefined && levels !== null)
    .transform((levels) => [levels].flat())
    .pipe(z.array(Level)),
  next: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((next) => (next === undefined || next === '' ? null : next)),
})

/** Asks the system what it has, a page at a time. A page is named as JSON, so that a number stays one for its mappings. */
export function createLevelReader(
  api: Api,
  template: LevelsTemplate,
  destination: string,
): NonNullable<StockPort['readLevels']> {
  const where = `${destination}: stock.readLevels`
  return async (location, name, { signal }) => {
    try {
      const page: unknown = name === null ? template.first : JSON.parse(name)
      const input = { location, ...(page !== undefined && { page }) }
      const over = { ...input, ...(await ask(api, { where, template, input, signal })) }
      return pageOf(
        where,
        at('answer', () => resultOf(template.answer, over)),
        page,
      )
    } catch (error) {
      throw withoutData(error, where)
    }
  }
}

function pageOf(where: string, said: unknown, page: unknown): LevelPage {
  const parsed = Said.safeParse(said)
  if (!parsed.success) {
    const places = placesOf(parsed.error)
    throw bad(`${where}.answer gives something that lacks these, or has them in another form: ${places}`)
  }
  const { levels, next } = parsed.data
  // The same would come again and again.
  if (next !== null && next === page) throw bad(`${where}.answer gives as \`next\` the page that was asked for`)
  return { levels, next: next === null ? null : JSON.stringify(next) }
}

function bad(message: string): PermanentError {
  return new PermanentError(message, { code: 'bad-answer' })
}
