import type { Router } from 'express'
import type { Config } from '../config/config.ts'
import { createLookups } from '../receiver/lookups/lookups.ts'
import { customersOf, ordersOf } from '../receiver/lookups/source.ts'
import type { Base } from './base.ts'
import type { Systems } from './systems.ts'

/** One of the till's questions, asked of whom config names. Throws a MisfitError where config is wrong. */
export function setupLookup(
  { lookups }: Config,
  about: 'customers' | 'orders',
  { store, tillPriority, traffic, clock, logger }: Base,
  asked: Systems['asked'],
): Router {
  return createLookups({
    config: { [about]: lookups[about] },
    sources: {
      customers: asked.flatMap(({ name, ports, handsOver }) => customersOf(name, ports, handsOver)),
      orders: asked.flatMap(({ name, ports }) => ordersOf(name, ports, store.links)),
    },
    noteLookup: (lookup) => store.noteLookup(lookup),
    tillPriority,
    refused: traffic.refusals.note,
    clock,
    logger,
  })
}
