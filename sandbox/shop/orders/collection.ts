import { z } from 'zod'
import { boolean, dateTime, idList, integer, integerWithin, oneOf, text, wordList } from '../parameters.ts'
import type { SiteTime } from '../site-time.ts'

/** The parameters that each list of the API reads (`WC_REST_CRUD_Controller::get_collection_params`). */
export const CollectionQuery = z.object({
  page: integerWithin(1).default(1),
  per_page: integerWithin(1, 100).default(10),
  offset: integer.optional(),
  search: text.optional(),
  after: dateTime.optional(),
  before: dateTime.optional(),
  modified_after: dateTime.optional(),
  modified_before: dateTime.optional(),
  dates_are_gmt: boolean.default(false),
  include: idList.optional(),
  exclude: idList.optional(),
  order: oneOf('asc', 'desc').default('desc'),
  _fields: wordList.optional(),
})

type CollectionQuery = z.infer<typeof CollectionQuery>

interface Dated {
  id: number
  createdAt: number
  modifiedAt: number
}

/** Whether one thing is of a list by id and dates. The bounds themselves are outside of both `after` and `before`. */
export function isWithin(one: Dated, query: CollectionQuery, time: SiteTime): boolean {
  const bound = (told: string | undefined) => (told === undefined ? null : time.bound(told, query.dates_are_gmt))
  const between = (at: number, after: number | null, before: number | null) =>
    (after === null || at > after) && (before === null || at < before)
  return (
    (!query.include?.length || query.include.includes(one.id)) &&
    !query.exclude?.includes(one.id) &&
    between(one.createdAt, bound(query.after), bound(query.before)) &&
    between(one.modifiedAt, bound(query.modified_after), bound(query.modified_before))
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

/** One page of a list, with WordPress's headers: how many there are, how many pages, and links to the neighbours. */
export function pageOf<T>(
  all: T[],
  { page, per_page, offset }: Pick<CollectionQuery, 'page' | 'per_page' | 'offset'>,
  url: URL,
) {
  const pages = Math.ceil(all.length / per_page)
  const start = offset ?? (page - 1) * per_page
  const link = (to: number, rel: string) => {
    const other = new URL(url)
    other.searchParams.set('page', String(to))
    return `<${other}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, pages), 'prev')] : []),
    ...(pages > page ? [link(page + 1, 'next')] : []),
  ]
  return {
    items: all.slice(start, start + per_page),
    headers: {
      'X-WP-Total': String(all.length),
      'X-WP-TotalPages': String(pages),
      ...(links.length > 0 ? { Link: links.join(', ') } : {}),
    },
  }
}

/** Keeps the fields that `_fields` names, and the id. */
export function onlyFields(item: Record<string, unknown>, fields: string[] | undefined): Record<string, unknown> {
  if (!fields?.length) return item
  const wanted = new Set(['id', ...fields.map((field) => field.split('.')[0])])
  return Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name)))
}
