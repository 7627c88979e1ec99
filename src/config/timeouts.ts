import { z } from 'zod'
import { duration } from './duration.ts'

/** How long others may take. Each is there because something else would wait for ever. */
export const Timeouts = z
  .strictObject({
    keepAlive: duration('1s', '1h')
      .prefault('75s')
      .describe(
        'How long an idle connection is kept. Longer than the proxy in front keeps it: else it sends a webhook on a connection that is closing, which is lost.',
      ),
    identify: duration('1s', '5m')
      .prefault('10s')
      .describe('How long a connection may go without having shown a credential.'),
    headers: duration('1s', '5m').prefault('15s').describe('How long the headers of a request may take.'),
    body: duration('1s', '1h').prefault('30s').describe('How long the body of a webhook or a JSON document may take.'),
    silence: duration('1s', '1h')
      .prefault('60s')
      .describe('How long a sender of lines (NDJSON) may say nothing; all of them may take an hour.'),
  })
  .describe('How long senders may take.')

export type Timeouts = z.output<typeof Timeouts>
