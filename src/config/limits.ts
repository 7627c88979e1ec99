import { z } from 'zod'
import { duration, size } from './units.ts'

const count = (least: number, most: number, usual: number) => z.int().min(least).max(most).default(usual)

/**
 * Bounds on what strangers and payloads may cost. The defaults fit 512 MB of memory: a byte that arrives is held three times at worst
 * (received, written, parsed).
 */
export const Limits = z
  .strictObject({
    decoded: size('1kb', '512mb')
      .optional()
      .describe(
        'The largest body after decompression: a few sent kilobytes may become many megabytes. Without it, as large as one may be sent (maxBody).',
      ),
    inHand: size('1mb', '16gb')
      .prefault('32mb')
      .describe(
        'Bytes of all bodies that are being read, decoded and parsed, or wait for the disk. What comes beyond them is answered 503.',
      ),
    reserve: size('0b', '16gb')
      .prefault('16mb')
      .describe('The part of inHand that large bodies never get, so that webhooks of up to 64 KB are always taken.'),
    inflated: size('1mb', '16gb')
      .prefault('64mb')
      .describe(
        'Bytes that the bodies of one credential may become in a minute beyond 20 times what was sent. What comes beyond them is answered 503.',
      ),
    unverified: size('64kb', '16gb')
      .prefault('8mb')
      .describe(
        'Bytes of all bodies whose sender is not known before they were read whole (/intake). Beyond them the one that has been arriving longest is cut off.',
      ),
    connections: count(10, 1_000_000, 1_000).describe(
      'Connections at a time; each takes a file descriptor (ulimit -n). Beyond them the oldest that has shown no credential is closed.',
    ),
    depth: count(4, 1_000, 64).describe(
      'How deep the JSON of a payload may be nested; the platform needs fewer than ten levels.',
    ),
    keys: count(100, 10_000_000, 5_000).describe(
      'Fields of one object of a payload; the platform needs fewer than a hundred.',
    ),
    items: count(100, 10_000_000, 20_000).describe(
      'Items of one list of a payload: a list of more is kept in quarantine, unread.',
    ),
    values: count(1_000, 100_000_000, 250_000).describe(
      'Values of a payload, all in all: each takes memory, however short it is written.',
    ),
  })
  .describe(
    'What may be in hand at a time. What does not fit is refused or kept unread; nothing of it is lost in silence.',
  )

export type Limits = z.output<typeof Limits>

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

const PROXY = /^(loopback|linklocal|uniquelocal|[0-9a-f:.]{2,45}(\/\d{1,3})?)$/i

/** As Express takes them. */
export const TrustedProxies = z
  .array(
    z.string().regex(PROXY, {
      error: 'an address, a range such as 10.0.0.0/8, or loopback, linklocal or uniquelocal',
    }),
  )
  .default([])
