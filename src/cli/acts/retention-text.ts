import type { RetentionPlan } from '../../admin/retention/plan.ts'
import { STANDING, type Standing } from '../../domain/retention/ages.ts'
import { counted } from '../../domain/values/text.ts'
import { type Columns, tableOf } from '../shared/table.ts'

const GOES: Columns<RetentionPlan['goes'][number]> = {
  month: 'month',
  kind: 'kind',
  events: 'events',
  deliveries: 'deliveries',
  payloads: 'payloads',
  bytes: ({ bytes }) => inMegabytes(bytes),
}

/** A plan, for people. */
export function planText({ off, goes, stays, partly, size, free, daysLeft, archive }: RetentionPlan): string {
  const total = goes.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = [
    off && 'retention.enabled is false: nothing is pruned. With the ages of the config, this would go:',
    tableOf(GOES, goes, 'Nothing is old enough to be pruned.'),
    goes.length > 0 && `Payloads of ${inMegabytes(total)} go, as they came${partly ? ', at least' : ''}.`,
    ...Object.entries(stays).map(
      ([why, count]) =>
        `${counted(count, 'event')} of that age ${count === 1 ? 'stays' : 'stay'}: ${STANDING[why as Standing]}.`,
    ),
    `The storage takes ${inMegabytes(size.bytes)}, ${inMegabytes(size.reusable)} of it free for reuse.`,
    archive !== null && archiveText(archive),
    free !== null && `The disk has ${inMegabytes(free)} left.${lastsText(daysLeft)}`,
  ]
  return parts.filter((part) => part !== false).join('\n')
}

function archiveText(archive: NonNullable<RetentionPlan['archive']>): string {
  if ('problem' in archive) return `Nobody can tell what of the archive has expired. ${archive.problem}`
  const { files, bytes, next } = archive
  const gone = `Of the archive, ${files === 0 ? 'no file has' : `${counted(files, 'file')} (${inMegabytes(bytes)}) ${files === 1 ? 'has' : 'have'}`} expired`
  return next === null ? `${gone}.` : `${gone}; the next does on ${next}.`
}

function lastsText(days: number | null): string {
  return days === null ? '' : ` As the store has grown of late, it lasts ${counted(days, 'day')}.`
}

function inMegabytes(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`
}
