import type { PortName } from '../adapters/adapter.ts'
import { UserError } from '../domain/errors.ts'
import type { Flow, Planned } from '../flows/flow.ts'
import type { Owed } from '../store/store.ts'

/** What routing knows of a destination. */
export interface Routable {
  name: string
  ports: readonly PortName[]
  /** The kinds whose raw events it asks for. */
  publish: 'all' | readonly string[]
  /** Flows that it is left out of. */
  skip: readonly string[]
}

/** Which deliveries an event owes, by today's flows and destinations. */
export type Route = (event: Planned) => Owed[]

/**
 * Joins flows and destinations. Throws a UserError where two destinations would each carry out a flow whose effect must
 * happen once, or config names a flow that does not exist.
 */
export function createRoute(flows: readonly Flow[], destinations: readonly Routable[]): Route {
  checkSkips(flows, destinations)
  checkOnce(flows, destinations)
  const byKind = new Map<string, { flow: Flow; to: string[] }[]>()

  function pairsOf(kind: string) {
    const found = byKind.get(kind)
    if (found) return found
    const pairs = flows
      .filter((flow) => flow.kinds === 'all' || flow.kinds.includes(kind))
      .map((flow) => ({ flow, to: destinations.filter((one) => wants(one, flow, kind)).map(({ name }) => name) }))
      .filter(({ to }) => to.length > 0)
    // Anybody with a token can name a kind: only so many are remembered.
    if (byKind.size < 1_000) byKind.set(kind, pairs)
    return pairs
  }

  return (event) =>
    pairsOf(event.kind).flatMap(({ flow, to }) =>
      flow.plan(event).flatMap(({ part, entity, notBefore = null, batch = null }) =>
        to
          .filter((destination) => destination !== event.origin)
          .map((destination) => ({
            flow: flow.name,
            part,
            destination,
            urgency: flow.urgency,
            entity,
            notBefore,
            once: flow.once === true,
            batch,
          })),
      ),
    )
}

function wants(destination: Routable, flow: Flow, kind: string): boolean {
  if (!destination.ports.includes(flow.port) || destination.skip.includes(flow.name)) return false
  return flow.name !== 'publish' || destination.publish === 'all' || destination.publish.includes(kind)
}

function checkSkips(flows: readonly Flow[], destinations: readonly Routable[]) {
  const names = flows.map(({ name }) => name)
  for (const { name, skip } of destinations)
    for (const flow of skip)
      if (!names.includes(flow))
        throw new UserError(`destinations.${name}.skip: there is no flow "${flow}"; the flows are ${names.join(', ')}.`)
}

function checkOnce(flows: readonly Flow[], destinations: readonly Routable[]) {
  for (const flow of flows.filter(({ once }) => once)) {
    const to = destinations.filter((one) => one.ports.includes(flow.port) && !one.skip.includes(flow.name))
    if (to.length > 1)
      throw new UserError(
        `The flow "${flow.name}" must happen once, but ${to.map(({ name }) => name).join(' and ')} would each carry it out. ` +
          `Write skip: [${flow.name}] at all but one of them.`,
      )
  }
}
