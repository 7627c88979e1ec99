import { Command } from 'commander'
import { PULLED } from '../domain/event.ts'
import type { EventDetail, EventRow } from '../store/screens.ts'
import { createClient } from './client.ts'
import { deliveryTable } from './deliveries.ts'
import { filterOf, selectEvents } from './options.ts'
import { oneLine, ownLines, show, table, when } from './print.ts'

const list = selectEvents(new Command('list'))
  .description('Events, newest first')
  .option('--before <id>', 'older than this one')
  .option('--limit <n>', 'so many', '50')
  .option('--json', 'print JSON')
  .action(async ({ json, limit, ...options }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ events: EventRow[] }>('/admin/events', { ...filterOf(options), limit })
    show(json, found, () => eventTable(found.events))
  })

const showOne = new Command('show')
  .description('One event: headers, body, deliveries')
  .argument('<id>')
  .option('--json', 'print JSON')
  .action(async (id, { json }) => {
    const client = await createClient(process.env)
    const event = await client.get<Omit<EventDetail, 'body'> & Body>(`/admin/events/${Number(id)}`)
    show(json, event, () =>
      [
        eventTable([event]),
        '',
        ...Object.entries(event.headers).map(([name, value]) => oneLine(`${name}: ${value}`)),
        '',
        bodyText(event),
        '',
        deliveryTable(event.deliveries),
      ].join('\n'),
    )
  })

export const events = new Command('events').description('What has arrived').addCommand(list).addCommand(showOne)

interface Body {
  body: string | null
  bodyBase64?: string
}

function bodyText({ body, bodyBase64 }: Body): string {
  if (bodyBase64 !== undefined) return `These bytes are no text. In base64:\n${bodyBase64}`
  return body === null ? NO_BODY : ownLines(body)
}

const NO_BODY = 'The body is not here (it was too large, or retention has taken it).'

/** The last column of an event's line: what is wrong with it, or unusual. */
function remark({ conflictWith, problem, sameKeyAs, subscription }: Omit<EventRow, 'headers'>): string | null {
  if (conflictWith !== null) return `contradicts event ${conflictWith}`
  if (problem !== null) return problem
  if (sameKeyAs !== null) return `came under the event id of ${sameKeyAs}`
  return subscription === PULLED ? 'pulled: read on the platform, not sent by it' : null
}

function eventTable(rows: Omit<EventRow, 'headers'>[]): string {
  return table(
    ['event', 'taken', 'kind', 'state', 'about', 'identity', 'bytes', ''],
    rows.map((row) => [
      row.id,
      when(row.receivedAt),
      row.kind,
      row.state,
      row.entity,
      row.identity && (row.revision > 0 ? `${row.identity} (${row.revision})` : row.identity),
      row.size,
      remark(row),
    ]),
    'No such events.',
  )
}
