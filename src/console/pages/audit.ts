import { formatInstant } from '../../domain/values/instant.ts'
import type { ActDetail, AuditRow } from '../../storage/rows.ts'
import { html } from '../html.ts'
import { address, asked, facts, filters, link, time } from '../parts.ts'
import { actTable, deliveryTable, eventTable } from '../tables.ts'
import type { Shown, Visit } from '../visit.ts'

const PAGE = 50

export async function auditList(visit: Visit): Promise<Shown> {
  const { t } = visit
  const filter = asked(visit, 'by', 'action')
  const { acts } = await visit.ask<{ acts: AuditRow[] }>('GET /audit', {
    asked: { ...filter, ...asked(visit, 'until'), limit: PAGE },
  })
  const last = acts.at(-1)
  const older = address('/audit', { ...filter, until: last ? formatInstant(last.at) : null })
  const fields = [
    { name: 'by', label: t('who') },
    { name: 'action', label: t('audit.action') },
  ]
  return {
    title: t('audit.title'),
    body: html`${filters(visit, '/audit', fields)}
${actTable(visit, t('audit.title'), acts, (at) => time(visit, at))}
${acts.length === PAGE ? html`<nav class="pager" aria-label="${t('page.label')}">${link(older, t('page.older'))}</nav>` : ''}
<p class="quiet">${t('audit.verify')} <code>${'tillbridge audit verify'}</code></p>`,
  }
}

export async function auditEntry(visit: Visit): Promise<Shown> {
  const { t, params } = visit
  const act = await visit.ask<ActDetail>('GET /audit/:id', { params })
  const { id, at, by, role, address, action, reason, selection, changed, refused, deliveries, events } = act
  return {
    title: t('audit.entry', { id }),
    body: html`${facts([
      [t('when'), time(visit, at)],
      [t('who'), by],
      [t('role'), role],
      [t('audit.from'), address],
      [t('audit.action'), action],
      [t('why'), reason],
      [t('audit.selection'), selection === '{}' ? null : html`<code>${selection}</code>`],
      [t('audit.touched'), changed],
      [t('audit.refused'), refused],
    ])}
${deliveries.length > 0 ? deliveryTable(visit, t('deliveries.title'), deliveries) : ''}
${events.length > 0 ? eventTable(visit, t('events.title'), events) : ''}`,
  }
}
