import type { GapClass, GapList, GapView } from '../../admin/completeness.ts'
import { type Completeness, NEVER } from '../../domain/completeness/completeness.ts'
import {
  CAUSE_NAMES,
  GAP_STATES,
  RECONCILIATION_SOURCES,
  remedyFor,
  type StoredGap,
} from '../../domain/completeness/gap.ts'
import type { CompletenessResult, There, UnresolvedEvents } from '../../storage/read-completeness.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { maskedText } from '../mask.ts'
import {
  act,
  address,
  age,
  asked,
  badge,
  capital,
  facts,
  filters,
  firstOf,
  type Kind,
  link,
  number,
  section,
  table,
  time,
} from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'

const KINDS = { proven: 'good', gaps: 'bad', unknown: 'wait' } as const satisfies Record<string, Kind>

/** Until when everything is here, by which evidence, and what is missing. */
export const completeness: Answer = async (visit) => {
  const { t } = visit
  const [found, { classes }] = await Promise.all([
    visit.ask<CompletenessResult & There>('GET /completeness', { asked: asked(visit, 'store', 'day') }),
    visit.ask<{ classes: GapClass[] }>('GET /gaps/counts'),
  ])
  const open = classes.filter((one) => one.open > 0)
  return {
    title: t('completeness.title'),
    body: html`${filters(visit, '/completeness', [storeField(visit), { name: 'day', label: t('day'), type: 'date' }])}
<p class="health ${KINDS[found.verdict]}">${t(`completeness.${found.verdict}`)}</p>
${section('gaps', t('gaps.by-class'), classTable(visit, open))}
${found.unresolved.length === 0 ? NOTHING : section('unresolved', t('completeness.unresolved'), unresolvedTable(visit, found.unresolved))}
${section('marks', t('completeness.marks'), markTable(visit, found.watermarks))}
${found.destinations.length === 0 ? NOTHING : section('there', t('completeness.there'), thereTable(visit, found.destinations))}`,
  }
}

export function storeField({ t, stores }: Visit) {
  const named = stores.map(({ number, name, storeId }) => [number ?? storeId, [number, name].filter(Boolean).join(' ')])
  return { name: 'store', label: t('store'), options: [['', t('filter.any')], ...named] as [string, string][] }
}

function classTable(visit: Visit, classes: readonly GapClass[]): Html {
  const { t } = visit
  const columns = [
    { head: t('gaps.cause'), cell: ({ cause }: GapClass) => t(`gap.cause.${cause}`) },
    {
      head: t('gaps.open'),
      isNumber: true,
      cell: ({ cause, open }: GapClass) => link(address('/gaps', { cause, state: 'open' }), number(visit, open)),
    },
    { head: t('failures.oldest'), cell: ({ oldest }: GapClass) => age(visit, oldest) },
    { head: t('gaps.remedy'), cell: ({ cause }: GapClass) => capital(t(`gap.remedy.${cause}`)) },
    { head: t('act.column'), cell: ({ cause }: GapClass) => explainButton(visit, { cause }, cause) },
  ]
  return table(t('gaps.by-class'), columns, classes, t('gaps.none'))
}

function explainButton(visit: Visit, fields: Record<string, string | number>, of?: string): Html {
  return act(visit, { route: 'POST /acts/explain', fields, words: 'act.explain', ...(of && { of }) })
}

function unresolvedTable({ t }: Visit, unresolved: readonly UnresolvedEvents[]): Html {
  const columns = [
    { head: t('kind'), cell: ({ kind }: UnresolvedEvents) => kind },
    { head: t('state'), cell: ({ state }: UnresolvedEvents) => t(`cause.${state}`) },
    {
      head: t('events.title'),
      cell: ({ kind, state, count }: UnresolvedEvents) =>
        link(address('/events', { kind, ...(state === 'conflict' ? { conflict: 'true' } : { state }) }), count),
    },
  ]
  return table(t('completeness.unresolved'), columns, unresolved, '')
}

function markTable(visit: Visit, marks: CompletenessResult['watermarks']): Html {
  const { t, stores } = visit
  const named = new Map(stores.map(({ storeId, number, name }) => [storeId, [number, name].filter(Boolean).join(' ')]))
  const columns = [
    { head: t('kind'), cell: ({ kind }: Completeness) => kind },
    {
      head: t('store'),
      cell: ({ storeId }: Completeness) => (storeId === null ? t('stores.all') : named.get(storeId) || storeId),
    },
    { head: t('completeness.by'), cell: ({ level }: Completeness) => t(`level.${level}`) },
    {
      head: t('today.until'),
      cell: ({ until }: Completeness) => (until === NEVER ? t('today.never') : time(visit, until)),
    },
    { head: t('state'), cell: ({ verdict }: Completeness) => badge(KINDS[verdict], t(`verdict.${verdict}`)) },
    { head: t('today.missing'), isNumber: true, cell: ({ gaps }: Completeness) => number(visit, gaps) },
  ]
  const worstFirst = marks.toSorted((a, b) => Number(a.verdict === 'proven') - Number(b.verdict === 'proven'))
  return firstOf(visit, worstFirst, (rows) => table(t('completeness.marks'), columns, rows, t('completeness.no-marks')))
}

function thereTable(visit: Visit, destinations: There['destinations']): Html {
  const { t } = visit
  type Row = There['destinations'][number]
  const columns = [
    { head: t('destination'), cell: ({ name }: Row) => name },
    { head: t('state'), cell: ({ verdict }: Row) => badge(KINDS[verdict], t(`verdict.${verdict}`)) },
    { head: t('today.missing'), isNumber: true, cell: ({ gaps }: Row) => number(visit, gaps) },
  ]
  return table(t('completeness.there'), columns, destinations, '')
}

const PAGE = 50

export const gaps: Answer = async (visit) => {
  const { t } = visit
  const filter = asked(visit, 'state', 'cause', 'source', 'kind', 'storeId', 'destination', 'day')
  const given = { ...filter, ...asked(visit, 'after'), limit: PAGE }
  const { gaps: rows, hint } = await visit.ask<GapList>('GET /gaps', { asked: given })
  const any = ['', t('filter.any')] as const
  const { state: _, ...selection } = filter
  const last = rows.at(-1)?.id
  return {
    title: t('gaps.title'),
    body: html`${filters(visit, '/gaps', [
      { name: 'state', label: t('state'), options: [any, ...GAP_STATES.map((one) => [one, t(`gap.${one}`)] as const)] },
      { name: 'cause', label: t('gaps.cause'), options: [any, ...CAUSE_NAMES.map((one) => [one, one] as const)] },
      {
        name: 'source',
        label: t('completeness.by'),
        options: [any, ...RECONCILIATION_SOURCES.map((one) => [one, t(`level.${one}`)] as const)],
      },
      { name: 'kind', label: t('kind') },
      { name: 'day', label: t('day'), type: 'date' },
    ])}${hint === null ? NOTHING : html`<p class="said wait">${hint}</p>`}
${Object.keys(selection).length > 0 && rows.length > 0 ? html`<div class="actions"><span>${t('act.on-all')}</span>${explainButton(visit, selection)}</div>` : NOTHING}
${gapTable(visit, rows)}
${rows.length < PAGE ? NOTHING : html`<nav class="pager" aria-label="${t('page.label')}">${link(address('/gaps', { ...filter, after: last }), t('page.more'))}</nav>`}`,
  }
}

function gapTable(visit: Visit, rows: readonly StoredGap[]): Html {
  const { t } = visit
  const columns = [
    { head: t('id'), cell: ({ id }: StoredGap) => link(`/gaps/${id}`, id) },
    { head: t('gaps.cause'), cell: ({ cause }: StoredGap) => cause },
    { head: t('kind'), cell: ({ kind }: StoredGap) => kind },
    { head: t('gaps.subject'), cell: ({ subject }: StoredGap) => maskedText(subject) },
    { head: t('day'), cell: ({ day }: StoredGap) => day },
    { head: t('gaps.first-seen'), cell: ({ firstSeenAt }: StoredGap) => age(visit, firstSeenAt) },
    { head: t('state'), cell: (gap: StoredGap) => gapState(visit, gap) },
  ]
  return table(t('gaps.title'), columns, rows, t('gaps.none'))
}

function gapState({ t }: Visit, { state }: Pick<StoredGap, 'state'>): Html {
  return badge(state === 'open' ? 'bad' : 'good', t(`gap.${state}`))
}

export const gap: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<GapView>('GET /gaps/:id', { params })
  const { id, cause, kind, storeId, destination, day, subject, at, ended, evidence } = found
  const remedy = remedyFor(found, t(`gap.remedy.${cause}`))
  return {
    title: t('gap.title', { id }),
    body: html`<p>${t(`gap.cause.${cause}`)}</p>${facts([
      [t('state'), gapState(visit, found)],
      [t('kind'), kind],
      [t('store'), storeId],
      [t('destination'), destination],
      [t('day'), day],
      [t('gaps.subject'), maskedText(subject)],
      [t('when'), time(visit, at)],
      [t('gaps.first-seen'), age(visit, found.firstSeenAt)],
      [t('gaps.remedy'), found.state === 'open' ? capital(remedy) : null],
      [t('who'), ended?.by ?? null],
      [t('why'), ended === null ? null : maskedText(ended.reason)],
    ])}
<div class="actions">${found.state === 'open' ? explainButton(visit, { id }) : NOTHING}</div>
${Object.entries(evidence).map(([source, seen]) =>
  section(
    `by-${source}`,
    t('gap.evidence', { source }),
    facts(Object.entries(seen ?? {}).map(([name, value]) => [name, maskedText(String(value ?? ''))])),
  ),
)}`,
  }
}
