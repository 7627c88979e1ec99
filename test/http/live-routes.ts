import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Request } from 'express'
import type { TestHub } from '../hub.ts'

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

/** All routes of a hub that runs, read from the router that answers its requests. */
export async function liveRoutes(hub: TestHub): Promise<LiveRoute[]> {
  const { router } = (await requestOf(hub)).app
  return routesIn((router as unknown as Layer['handle']).stack ?? [], '')
}

/** A request that a hub has answered; Node tells of each that comes, and Express has left its app on it. */
async function requestOf(hub: TestHub): Promise<Request> {
  const { port } = new URL(hub.url)
  let found: Request | null = null
  const look = (message: unknown) => {
    const { request } = message as { request: Request }
    if (String(request.socket.localPort) === port) found = request
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
