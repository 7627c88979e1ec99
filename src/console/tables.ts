import type { ListedDelivery } from '../admin/deliveries.ts'
import type { Status } from '../admin/health.ts'
import { outageOf } from '../domain/queue/outcome.ts'
import type { AuditEntry, AuditRow, DeliveryRow, EventRow } from '../storage/rows.ts'
import { type Html, html, NOTHING } from './html.ts'
import { type Mask, maskedEntity, maskedText } from './mask.ts'
import { badge, capital, type Kind, link, number, table, time } from './parts.ts'
import { isText, type Translate } from './texts/texts.ts'
import type { Visit } from './visit.ts'

/* Lists that several pages have. */

export function eventTable(visit: Visit, caption: string, rows: readonly EventRow[]): Html {
  const { t } = visit
  return table(
    caption,
    [
      { head: t('id'), cell: ({ id }) => link(`/events/${id}`, String(id)) },
      { head: t('when'), cell: ({ receivedAt }) => time(visit, receivedAt) },
      { head: t('kind'), cell: ({ kind }) => kind },
      { head: t('entity'), cell: ({ entity }) => entityLink(entity) },
      { head: t('state'), cell: (row) => eventState(visit, row) },
      { head: t('why'), cell: ({ problem, dismissedBecause }) => maskedText(dismissedBecause ?? problem ?? '') },
    ],
    rows,
    t('events.none'),
  )
}

export function entityLink(entity: string | null): Html | string | null {
  const [, number] = /^order:([^/]+)/.exec(entity ?? '') ?? []
  return number === undefined ? maskedEntity(entity) : link(`/orders/${number}`, maskedEntity(entity))
}

export function eventState({ t }: Visit, { state, conflictWith, dismissedAt }: EventRow): Html {
  if (dismissedAt !== null) return badge('plain', t('state.dismissed'))
  if (conflictWith !== null) return badge('wait', t('cause.conflict'))
  return badge(state === 'routed' ? 'good' : 'wait', t(`state.${state}`))
}

export function deliveryTable(
  visit: Visit,
  caption: string,
  rows: readonly (DeliveryRow | ListedDelivery)[],
  mask: Pick<Mask, 'text'> = { text: maskedText },
): Html {
  const { t } = visit
  return table(
    caption,
    [
      { head: t('id'), cell: ({ id }) => link(`/deliveries/${id}`, String(id)) },
      { head: t('destination'), cell: ({ destination }) => destination },
      { head: t('flow'), cell: ({ flow, part }) => (part ? `${flow}/${part}` : flow) },
      { head: t('entity'), cell: ({ entity }) => entityLink(entity) },
      { head: t('state'), cell: (row) => deliveryState(visit, row) },
      { head: t('tries'), isNumber: true, cell: ({ tries }) => tries },
      { head: t('when'), cell: ({ settledAt, dueAt }) => time(visit, settledAt ?? dueAt) },
      { head: t('why'), cell: ({ why, code, state }) => short(mask.text(why ?? (code === state ? null : code) ?? '')) },
    ],
    rows,
    t('deliveries.none'),
  )
}

const SHORT = 160

function short(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text
}

const KINDS: Readonly<Record<DeliveryRow['state'], Kind>> = {
  waiting: 'plain',
  claimed: 'plain',
  held: 'wait',
  dead: 'bad',
  delivered: 'good',
  skipped: 'plain',
  superseded: 'plain',
}

export function deliveryState({ t }: Visit, { state, open, tries }: DeliveryRow): Html {
  if (state === 'held' && open) return badge('wait', t('cause.in-doubt'))
  if (state === 'waiting' && tries > 0) return badge('wait', t('state.retrying'))
  return badge(KINDS[state], t(`state.${state}`))
}

/** What people did with it. */
export function actLines(visit: Visit, entries: readonly AuditEntry[]): Html {
  const { t } = visit
  if (entries.length === 0) return NOTHING
  return html`<section aria-labelledby="acts"><h2 id="acts">${t('acts.title')}</h2>${table(
    t('acts.title'),
    [
      { head: t('when'), cell: ({ at }) => time(visit, at) },
      { head: t('who'), cell: ({ by }) => by },
      { head: t('audit.action'), cell: ({ action }) => action },
      { head: t('why'), cell: ({ reason }) => maskedText(reason ?? '') },
    ],
    entries,
    '',
  )}</section>`
}

export function actTable(
  visit: Visit,
  caption: string,
  acts: readonly AuditRow[],
  time: (at: number) => Html | null,
): Html {
  const { t } = visit
  return table(
    caption,
    [
      { head: t('id'), cell: ({ id }: AuditRow) => link(`/audit/${id}`, String(id)) },
      { head: t('when'), cell: ({ at }: AuditRow) => time(at) },
      { head: t('who'), cell: ({ by, role }: AuditRow) => (role === null ? by : `${by} (${role})`) },
      { head: t('audit.action'), cell: ({ action }: AuditRow) => action },
      {
        head: t('audit.touched'),
        cell: ({ changed, refused }: AuditRow) => (refused === null ? number(visit, changed) : t('audit.refused')),
      },
      { head: t('why'), cell: ({ refused, reason }: AuditRow) => refused ?? reason },
    ],
    acts,
    t('audit.none'),
  )
}

export function destinationState(
  { t }: Visit,
  { configured, paused, outage, failing }: Status['destinations'][number],
): Html {
  if (!configured) return badge('bad', t('destinations.gone'))
  if (paused !== null) return badge('wait', t('destinations.paused'))
  if (outage !== null) return badge('bad', t(outage.down ? 'destinations.down' : 'destinations.outage'))
  return failing === null ? badge('good', t('destinations.takes')) : badge('wait', t('destinations.failing'))
}

/** Why nothing gets through, in the visitor's language, with what was said. */
export function causeWords({ t }: Visit, { code, why }: { code: string; why: string }): Html {
  return html`${outageWords(t, code)} <span class="quiet">(${code}: ${maskedText(why)})</span>`
}

export function outageWords(t: Translate, code: string): string {
  return `${capital(t(`outage.${outageOf(code)}`))}.`
}

export function outcomeWords(t: Translate, outcome: string): string {
  return wordOf(t, 'outcome', outcome)
}

/** Hubs of other versions may have others. */
export function wordOf(t: Translate, list: 'state' | 'outcome' | 'did', word: string): string {
  const key = `${list}.${word.replaceAll(' ', '-')}`
  return isText(key) ? t(key) : word
}
