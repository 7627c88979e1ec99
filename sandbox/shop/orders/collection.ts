import { z } from 'zod'
import { boolean, dateTime, idList, integerWithin, oneOf, text, wordList } from '../parameters.ts'
import type { SiteTime } from '../site-time.ts'

/** The parameters that each list of the API reads (`WC_REST_CRUD_Controller::get_collection_params`). */
export const CollectionQuery = z.object({
  page: integerWithin(1).default(1),
  per_page: integerWithin(1, 100).default(10),
  search: text.optional(),
  after: dateTime.optional(),
  modified_after: dateTime.optional(),
  dates_are_gmt: boolean.default(false),
  include: idList.optional(),
  order: oneOf('asc', 'desc').default('desc'),
  _fields: wordList.optional(),
})

type CollectionQuery = z.infer<typeof CollectionQuery>

interface Dated {
  id: number
  createdAt: number
  modifiedAt: number
}

/** By id and dates; the bound itself is outside. */
export function isWithin(one: Dated, query: CollectionQuery, time: SiteTime): boolean {
  const isAfter = (at: number, bound: string | undefined) =>
    bound === undefined || at > time.bound(bound, query.dates_are_gmt)
  return (
    (!query.include?.length || query.include.includes(one.id)) &&
    isAfter(one.createdAt, query.after) &&
    isAfter(one.modifiedAt, query.modified_after)
  )
}

/** Sorts by date, change, id or the order of `include`; what has the same date goes by id. */
export function sorted<T extends Dated>(all: T[], orderby: string, { order, include = [] }: CollectionQuery): T[] {
  const way = order === 'asc' ? 1 : -1
  const by: Record<string, (one: T, other: T) => number> = {
    id: (one, other) => way * (one.id - other.id),
    include: (one, other) => include.indexOf(one.id) - include.indexOf(other.id),
    modified: (one, other) => way * (one.modifiedAt - other.modifiedAt || one.id - other.id),
    date: (one, other) => way * (one.createdAt - other.createdAt || one.id - other.id),
  }
  return all.toSorted(by[orderby] ?? by.date)
}

/** One page of a list, with WordPress's headers: how many there are, and how many pages. */
export function pageOf<T>(all: T[], { page, per_page }: Pick<CollectionQuery, 'page' | 'per_page'>) {
  const start = (page - 1) * per_page
  return {
    items: all.slice(start, start + per_page),
    headers: { 'X-WP-Total': String(all.length), 'X-WP-TotalPages': String(Math.ceil(all.length / per_page)) },
  }
}

/** Keeps the fields that `_fields` names, and the id. */
export function onlyFields(item: Record<string, unknown>, fields: string[] | undefined): Record<string, unknown> {
  if (!fields?.length) return item
  const wanted = new Set(['id', ...fields.map((field) => field.split('.')[0])])
  return Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name)))
}
