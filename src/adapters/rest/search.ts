import { PermanentError } from '../../domain/values/errors.ts'
import { ask, type Reading } from './ask.ts'
import type { Api } from './asking/api.ts'
import { idOf, resultOf } from './mapping/expression.ts'
import { at, withoutData } from './mapping/mapping-error.ts'
import type { SearchTemplate } from './mapping/template.ts'

/** Reads every page, and what a mapping makes of each. 404: there is nothing. */
export async function search<T>(api: Api, reading: Reading<SearchTemplate>, make: (over: object) => T[]): Promise<T[]> {
  try {
    const found: T[] = []
    for await (const over of pages(api, reading)) for (const one of at('answer', () => make(over))) found.push(one)
    return found
  } catch (error) {
    throw withoutData(error, reading.where)
  }
}

async function* pages(api: Api, { where, template, input, signal }: Reading<SearchTemplate>): AsyncGenerator<object> {
  const { paging } = template
  const lenient = { ...template, statuses: { 404: 'done' as const, ...template.statuses } }
  let page: unknown = paging?.first ?? null
  let link: string | null = null
  for (let count = 0; count < (paging?.most ?? 1); count += 1) {
    const answer = await ask(api, { where, template: lenient, input: { ...input, page }, signal }, link)
    if (answer.status === 404) return
    const over = { ...input, page, ...answer }
    yield over
    if (!paging) return
    if (paging.link !== undefined) {
      const next = at('paging', () => at('link', () => idOf(paging.link ?? '', over)))
      if (next === null) return
      link = api.pathOf(next) ?? foreign(where)
    } else {
      const next = at('paging', () => at('next', () => resultOf(paging.next ?? '', over)))
      if (next === undefined || next === null || next === '' || next === page) return
      page = next
    }
  }
}

function foreign(where: string): never {
  throw new PermanentError(`${where}.paging.link leads away from the url in config`, { code: 'foreign-link' })
}
