import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { push } from '../../../src/cli/push.ts'
import { reportEnd } from '../../../src/cli/shared/exit.ts'
import { createFolder } from '../../hub.ts'
import type { Ran } from '../run.ts'
import { KEY, startV1Server, type V1Server } from './server.ts'

/** A folder for files, and a hub to send them to. */
export interface World extends AsyncDisposable {
  server: V1Server
  env: Record<string, string>
  /** Runs `push …` against the hub. */
  push(...args: string[]): Promise<Ran>
  file(name: string, content: string | Uint8Array): Promise<string>
  path(name: string): string
}

export async function openWorld(): Promise<World> {
  const folder = await createFolder()
  const server = await startV1Server()
  const env = { TILLBRIDGE_URL: server.url, TILLBRIDGE_KEY: KEY }
  return {
    server,
    env,
    push: (...args) => pushHere(args, env),
    async file(name, content) {
      const path = join(folder.path, name)
      await writeFile(path, content)
      return path
    },
    path: (name) => join(folder.path, name),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Runs the command in this process, which is much quicker than one of its own. One at a time. */
export async function pushHere(args: string[], env: Record<string, string>): Promise<Ran> {
  let out = ''
  let err = ''
  const codeBefore = process.exitCode
  const logged = vi.spyOn(console, 'log').mockImplementation((text) => {
    out += `${text}\n`
  })
  const complained = vi.spyOn(console, 'error').mockImplementation((text) => {
    err += `${text}\n`
  })
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text
    return true
  })
  for (const name of ['TILLBRIDGE_URL', 'TILLBRIDGE_KEY']) vi.stubEnv(name, env[name])
  try {
    process.exitCode = 0
    await push.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode), out, err }
  } catch (error) {
    return { code: reportEnd(error, false), out, err }
  } finally {
    process.exitCode = codeBefore
    vi.unstubAllEnvs()
    for (const spy of [logged, complained, written]) spy.mockRestore()
  }
}
