import type { Config } from '../config/config.ts'
import { createInbox } from '../inbox/accept.ts'
import { createMemory } from '../inbox/memory.ts'
import { createProofs } from '../inbox/proofs.ts'
import { createReader } from '../inbox/reader.ts'
import { createReaderAside } from '../inbox/reader-aside.ts'
import { createReading } from '../inbox/reading.ts'
import { createRoute, type Routable } from '../inbox/route.ts'
import { routeMisfits } from '../inbox/route-misfits.ts'
import { createToldApart } from '../inbox/told-apart.ts'
import { abilitiesOf } from '../ports/perform.ts'
import type { Store } from '../store/store.ts'
import type { Base } from './base.ts'
import type { MisfitList } from './misfit-list.ts'
import { rememberedOf } from './retention.ts'
import type { Target } from './systems.ts'

/** Joins flows and destinations, and takes what arrives for them. */
export function openInbox(
  { server, platform, retention }: Config,
  targets: readonly Target[],
  { store, stores, flows, ownFlows }: Base,
  { accept, opened, misfits }: { accept: Store['accept']; opened: AsyncDisposableStack; misfits: MisfitList },
) {
  const routables: Routable[] = targets.map((one) => ({ ...one, abilities: abilitiesOf(one.ports) }))
  // Where nobody has looked for the platform's stores, what depends on them is judged later.
  misfits.add(routeMisfits(flows, routables, stores.index()).filter(({ unsure }) => !unsure || !stores.isUnread))
  const route = createRoute(flows, routables, stores.index)
  const { limits } = server
  const { payloads: mappings } = platform
  const read = createReading({ route, proofs: createProofs(flows), limits, mappings })
  const reader = ownFlows
    ? createReader(read)
    : opened.use(createReaderAside({ read, routables, limits, mappings, stores: () => stores.index().stores }))
  const toldApart = createToldApart({ store, flows, mappings })
  const owe: Store['owe'] = async (event, deliveries, act) => store.owe(event, await toldApart(deliveries), act)
  const hasDropped = async () => retention.enabled && (await rememberedOf(store)).keysBound > 0
  const memory = createMemory(retention.keys, store.now, hasDropped)
  return { routables, route, owe, inbox: createInbox({ accept, event: store.event }, reader, toldApart, memory) }
}
