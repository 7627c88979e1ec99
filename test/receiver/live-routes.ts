import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { TestHub } from '../hub.ts'

/** A route that a hub really has. */
export interface LiveRoute {
  method: string
  /** As it was written, with what it is mounted under: `/v1/orders/:orderNo`. */
  path: string
  /** It answers every method, as `method` for one: who finds nothing better ends here. */
  isRest: boolean
}

/** What Express keeps of a route, or of a router or handler that was mounted. */
interface Layer {
  rawPath: string
  route?: { path: string; methods: Record<string, boolean> }
  handle: { stack?: Layer[] }
}

/** Methods that stand for all, where a route takes all. */
const ALL = ['get', 'post', 'put', 'patch', 'delete']

/** All routes of a hub that runs, read from the router that answers its requests. Throws where there is none. */
export async function liveRoutes(hub: TestHub): Promise<LiveRoute[]> {
  const server = await serverOf(hub)
  const app = server.listeners('request').find((listener) => 'router' in listener) as
    | { router: Layer['handle'] }
    | undefined
  if (!app) throw new Error('The server of the hub has no router to read routes from.')
  return routesIn(app.router.stack ?? [], '')
}

/** Node tells which server a request comes to. */
async function serverOf(hub: TestHub): Promise<Server> {
  const { port } = new URL(hub.url)
  let found: Server | null = null
  const look = (message: unknown) => {
    const { server } = message as { server: Server }
    const address = server.address()
    if (address !== null && typeof address === 'object' && String(address.port) === port) found = server
  }
  subscribe('http.server.request.start', look)
  await hub.ask('/health/live')
  unsubscribe('http.server.request.start', look)
  if (!found) throw new Error('No server of this process took the request.')
  return found
}

function routesIn(stack: readonly Layer[], mount: string): LiveRoute[] {
  return stack.flatMap(({ rawPath, route, handle }) => {
    if (!route) return handle.stack ? routesIn(handle.stack, join(mount, rawPath)) : []
    const isRest = route.methods._all === true
    const methods = isRest ? ALL : Object.keys(route.methods)
    // Express answers HEAD where there is a GET.
    const answered = methods.includes('get') && !methods.includes('head') ? [...methods, 'head'] : methods
    return answered.map((method) => ({ method: method.toUpperCase(), path: join(mount, route.path), isRest }))
  })
}

function join(mount: string, path: string): string {
  return path === '/' ? mount : mount + path
}
