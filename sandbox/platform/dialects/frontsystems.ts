import type { Dialect } from './dialect.ts'
import { frontsystemsEvents } from './frontsystems/events.ts'
import { FRONTSYSTEMS_OPERATIONS } from './frontsystems/operations.ts'

/** The public documentation of Front Systems, version 2: REST below `/restapi/V2`, odata at the host, and nothing that is not listed. */
export const frontsystems: Dialect = {
  base: '/restapi/V2',
  operations: FRONTSYSTEMS_OPERATIONS,
  events: frontsystemsEvents,
}
