import { PULLED } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'

/** Hands the raw event on, to every destination that asks for its kind (`publish` in config). */
export const publish: Flow = {
  name: 'publish',
  kinds: 'all',
  port: 'publish',
  urgency: 'prompt',
  plan: (event) => [{ part: '', entity: event.entity }],
  call: (event) => ({
    port: 'publish',
    method: 'publish',
    argument: {
      kind: event.kind,
      body: event.body,
      ...(event.subscription === PULLED && { pulled: true as const }),
      receivedAt: event.receivedAt,
    },
  }),
}
