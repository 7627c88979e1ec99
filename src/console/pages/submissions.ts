import type { ShownSubmission, SubmissionList } from '../../admin/submissions.ts'
import type { LineFaults, SubmissionItem, SubmissionRow } from '../../storage/rows.ts'
import { html, NOTHING } from '../html.ts'
import { maskedEntity, maskedText } from '../mask.ts'
import { asked, badge, facts, link, number, pager, section, table, time } from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'

/** What own systems gave for the platform. */
export const submissions: Answer = async (visit) => {
  const { t } = visit
  const found = await visit.ask<SubmissionList>('GET /submissions', { asked: asked(visit, 'before') })
  const columns = [
    { head: t('id'), cell: ({ id }: SubmissionRow) => link(`/submissions/${id}`, id) },
    { head: t('when'), cell: ({ receivedAt }: SubmissionRow) => time(visit, receivedAt) },
    { head: t('submissions.system'), cell: ({ system }: SubmissionRow) => system },
    { head: t('submissions.resource'), cell: ({ resource }: SubmissionRow) => resource },
    { head: t('submissions.key'), cell: ({ key }: SubmissionRow) => maskedText(key) },
  ]
  return {
    title: t('submissions.title'),
    body: html`${table(t('submissions.title'), columns, found.submissions, t('submissions.none'))}${pager(visit, '/submissions', found.before)}`,
  }
}

export const submission: Answer = async (visit) => {
  const { t, params } = visit
  const found = await visit.ask<ShownSubmission>('GET /submissions/:id', { params })
  const { id, system, resource, key, receivedAt, items, unrouted, states, end, failed } = found
  return {
    title: t('submissions.one', { id, resource }),
    body: html`${facts([
      [t('submissions.system'), system],
      [t('submissions.key'), maskedText(key)],
      [t('when'), time(visit, receivedAt)],
      [t('submissions.lines'), number(visit, items)],
      [t('state.unrouted'), unrouted === 0 ? null : number(visit, unrouted)],
      [t('submissions.refused'), end === null || end.refused === 0 ? null : number(visit, end.refused)],
      [t('submissions.ended'), end === null ? null : time(visit, end.at)],
    ])}
${section('states', t('deliveries.title'), stateTable(visit, states))}
${failed.length === 0 ? NOTHING : section('failed', t('submissions.failed'), failedTable(visit, failed))}
${end === null || end.faults.length === 0 ? NOTHING : section('faults', t('submissions.faults'), faultTable(visit, end.faults))}`,
  }
}

function stateTable(visit: Visit, states: ShownSubmission['states']) {
  const { t } = visit
  type Row = ShownSubmission['states'][number]
  const columns = [
    { head: t('destination'), cell: ({ destination }: Row) => destination },
    {
      head: t('state'),
      cell: ({ state }: Row) =>
        badge(state === 'dead' ? 'bad' : state === 'held' ? 'wait' : 'plain', t(`state.${state}`)),
    },
    { head: t('submissions.lines'), isNumber: true, cell: ({ count }: Row) => number(visit, count) },
  ]
  return table(t('deliveries.title'), columns, states, t('deliveries.none'))
}

function failedTable({ t }: Visit, failed: readonly SubmissionItem[]) {
  const columns = [
    { head: t('submissions.line'), isNumber: true, cell: ({ line }: SubmissionItem) => line },
    { head: t('delivery.one'), cell: ({ delivery }: SubmissionItem) => link(`/deliveries/${delivery}`, delivery) },
    { head: t('entity'), cell: ({ entity }: SubmissionItem) => maskedEntity(entity) },
    { head: t('state'), cell: ({ state }: SubmissionItem) => t(`state.${state}`) },
    { head: t('why'), cell: ({ why, code }: SubmissionItem) => maskedText(why ?? code ?? '') },
  ]
  return table(t('submissions.failed'), columns, failed, '')
}

function faultTable({ t }: Visit, faults: readonly LineFaults[]) {
  const columns = [
    { head: t('submissions.line'), isNumber: true, cell: ({ line }: LineFaults) => line },
    { head: t('why'), cell: ({ faults: all }: LineFaults) => maskedText(all.join('; ')) },
  ]
  return table(t('submissions.faults'), columns, faults, '')
}
