import { UserError } from '../domain/values/errors.ts'
import { formatDuration, formatInstant, type Instant } from '../domain/values/instant.ts'
import type { Decimal } from '../domain/values/money.ts'
import { toStoreLocal } from '../domain/values/store-time.ts'
import { ProblemError } from '../http/problem.ts'
import { type Html, html, NOTHING } from './html.ts'
import { localeOf, type TextKey } from './texts/texts.ts'
import type { Visit } from './visit.ts'

export type Kind = 'good' | 'bad' | 'wait' | 'plain'
type Shown = Html | string | number | null

export function badge(kind: Kind, words: string): Html {
  return html`<span class="badge ${kind}">${words}</span>`
}

/** In the visitor's language and the stores' zone; the zone stands at the foot of the page, and in each tooltip. */
export function time(
  { language, zone, now }: Pick<Visit, 'language' | 'zone' | 'now'>,
  at: Instant | null,
): Html | null {
  if (at === null) return null
  const isThisYear = new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear()
  const date = isThisYear ? ({ day: 'numeric', month: 'short' } as const) : ({ dateStyle: 'medium' } as const)
  const clock = isThisYear
    ? ({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const)
    : ({ timeStyle: 'short' } as const)
  const words = new Intl.DateTimeFormat(localeOf(language), {
    ...date,
    ...clock,
    timeZone: zone,
    hourCycle: 'h23',
  }).format(at)
  return html`<time datetime="${formatInstant(at)}" title="${formatInstant(at)} (${zone})">${words}</time>`
}

/** The latest day that it is in one of these stores. */
export function today({ now, zone }: Visit, stores: readonly { zone?: string | null }[]): string {
  const days = [zone, ...stores.flatMap((store) => store.zone ?? [])].map((one) => toStoreLocal(now, one).slice(0, 10))
  return days.reduce((latest, day) => (day > latest ? day : latest))
}

/** Null: nothing to say. */
export function age({ now }: Pick<Visit, 'now'>, at: Instant | null): Html | null {
  if (at === null) return null
  return html`<time datetime="${formatInstant(at)}" title="${formatInstant(at)}">${formatDuration(Math.max(0, now - at))}</time>`
}

/** As a sentence begins. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function number({ language }: Pick<Visit, 'language'>, count: number): string {
  return count.toLocaleString(localeOf(language))
}

/** Exact, whatever its size. */
export function money({ language }: Pick<Visit, 'language'>, amount: Decimal, currency: string): string {
  const format = new Intl.NumberFormat(localeOf(language), { minimumFractionDigits: 2, maximumFractionDigits: 6 })
  return `${format.format(amount as Intl.StringNumericLiteral)} ${currency}`
}

export interface Column<Row> {
  head: string
  cell(row: Row): Shown
  /** Aligned at its end. */
  isNumber?: boolean
}

/** On a narrow screen each row is a card, with its heads beside the values. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[], none: string): Html {
  if (rows.length === 0) return html`<p class="quiet">${none}</p>`
  return html`<table class="rows"><caption class="heard">${caption}</caption>
<thead><tr>${columns.map(({ head, isNumber }) => html`<th scope="col"${isNumber ? html` class="number"` : ''}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr>${columns.map(({ head, cell, isNumber }) => html`<td data-head="${capital(head)}"${isNumber ? html` class="number"` : ''}>${cell(row) ?? ''}</td>`)}</tr>
`,
  )}</tbody></table>`
}

/** Rows of a list without pages: a page stays under 100 KB. */
const MOST_ROWS = 200

/** The first of them, and how many there are. */
export function firstOf<Row>({ t }: Visit, rows: readonly Row[], show: (rows: readonly Row[]) => Html): Html {
  if (rows.length <= MOST_ROWS) return show(rows)
  const words = t('page.first-of', { shown: MOST_ROWS, n: rows.length })
  return html`${show(rows.slice(0, MOST_ROWS))}<p class="quiet">${words}</p>`
}

/** Pairs of a label and what stands beside it; those of null are left out. */
export function facts(pairs: readonly (readonly [string, Shown])[]): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== '')
  return html`<dl>${shown.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

export function link(path: string, words: Shown): Html {
  return html`<a href="/console${path}">${words}</a>`
}

/** An address with those of the fields that have a value. */
export function address(path: string, fields: Readonly<Record<string, string | number | null | undefined>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (isGiven(value)) given.set(name, String(value))
  return given.size === 0 ? path : `${path}?${given}`
}

interface ActButton {
  /** Of the table of routes, such as `POST /acts/skip`. */
  route: `POST /${string}`
  params?: Readonly<Record<string, string>>
  fields?: Readonly<Record<string, string | number | null | undefined>>
  words: TextKey
  /** For those who hear the page: of what. */
  of?: string
  strong?: true
}

/** A form with one button; nothing for those who may not. */
export function act(visit: Visit, { route, params = {}, fields = {}, words, of, strong }: ActButton): Html {
  if (!visit.may(route)) return NOTHING
  return html`<form method="post" action="/console${filled(route, params)}">${hidden(visit, fields)}<button${strong ? html` class="strong"` : ''}>${visit.t(words)}${of === undefined ? '' : html`<span class="heard"> ${of}</span>`}</button></form>`
}

/** The session's token, where to go on, and these. */
export function hidden({ token, here }: Visit, fields: ActButton['fields'] = {}): Html {
  const all = Object.entries({ token, back: here, ...fields })
  return html`${all.map(([name, value]) => (isGiven(value) ? html`<input type="hidden" name="${name}" value="${String(value)}">` : ''))}`
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function filled(route: string, params: Readonly<Record<string, string>>): string {
  return route.slice('POST '.length).replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

export interface Field {
  name: string
  label: string
  value?: string | undefined
  /** Of a choice; the first one stands for any. */
  options?: readonly (readonly [value: string, words: string])[]
  type?: 'text' | 'search' | 'number' | 'date' | 'email'
  required?: true
}

function input({ name, label, value = '', options, type = 'text', required }: Field): Html {
  const control = options
    ? html`<select name="${name}">${options.map(([one, words]) => html`<option value="${one}"${one === value ? html` selected` : ''}>${words}</option>`)}</select>`
    : html`<input type="${type}" name="${name}" value="${value}" maxlength="500"${required ? html` required` : ''}>`
  return html`<label class="field"><span>${label}</span>${control}</label>`
}

/** Those of the query that have a value. */
export function asked<Name extends string>({ query }: Visit, ...names: readonly Name[]): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []))
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}

/** Filters as a form of links: what is chosen stands in the address. */
export function filters(visit: Visit, path: string, fields: readonly Field[]): Html {
  const shown = fields.map((field) => input({ value: visit.query[field.name], ...field }))
  return html`<form class="filters" method="get" action="/console${path}" role="search" aria-label="${visit.t('filter.label')}">
${shown}
<button>${visit.t('filter.apply')}</button>
<a class="plain" href="/console${path}">${visit.t('filter.clear')}</a></form>`
}

interface ActForm extends Omit<ActButton, 'of' | 'strong'> {
  inputs?: readonly Field[]
  more?: Html
  reason: 'required' | 'optional' | 'none'
}

/** An act with what it has to be told, and why; nothing for those who may not. */
export function actForm(
  visit: Visit,
  { route, params = {}, fields = {}, words, inputs = [], more, reason }: ActForm,
): Html {
  if (!visit.may(route)) return NOTHING
  const why = { name: 'reason', label: visit.t(reason === 'required' ? 'act.reason' : 'act.reason-optional') }
  return html`<form class="confirm" method="post" action="/console${filled(route, params)}">${hidden(visit, fields)}
${inputs.map(input)}${more ?? NOTHING}${reason === 'none' ? NOTHING : input({ ...why, ...(reason === 'required' && { required: true }) })}
<button class="strong">${visit.t(words)}</button></form>`
}

/** With a heading; nothing where there is nothing to show. */
export function section(id: string, title: string, body: Html | null): Html {
  return body === null ? NOTHING : html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`
}

/** Words that stand out. */
export function said(kind: Kind, words: Shown): Html {
  return words === null || words === '' ? NOTHING : html`<div class="said ${kind}"><p>${words}</p></div>`
}

/** The answer, or why there is none. */
export async function answerOr<Answer>(
  answer: Promise<Answer>,
): Promise<{ answer: Answer | null; why: string | null }> {
  try {
    return { answer: await answer, why: null }
  } catch (error) {
    if (error instanceof UserError || error instanceof ProblemError) return { answer: null, why: error.message }
    throw error
  }
}

/** Keyset paging: from here on to older ones. */
export function pager(visit: Visit, path: string, before: number | null): Html {
  const { before: at, ...filter } = visit.query
  const newest = at === undefined ? NOTHING : link(address(path, filter), visit.t('page.newest'))
  const older = before === null ? NOTHING : link(address(path, { ...filter, before }), visit.t('page.older'))
  return html`<nav class="pager" aria-label="${visit.t('page.label')}">${newest} ${older}</nav>`
}
