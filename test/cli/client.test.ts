import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type Sections, writtenConfig } from '../app/written.ts'
import { ADMIN_TOKEN, startTestHub } from '../hub.ts'
import { tillbridge } from './run.ts'

const NOTHING_OPEN = 'No destinations are configured.'

test('when something else in the config is wrong, then commands reach the hub by what it says of the server; with an address and a token it is not read', async () => {
  await using hub = await startTestHub()
  const { port } = new URL(hub.url)
  const server = `host: 127.0.0.1\nport: ${port}\nadminToken: \${ADMIN_TOKEN}`
  await using config = await writtenConfig()
  const status = async (sections: Sections, env: Record<string, string> = {}) => {
    await config.write(sections)
    return await tillbridge(['status'], { ...config.env, ...env })
  }
  const well = { code: 0, err: '', out: expect.stringContaining(NOTHING_OPEN) }

  expect(await status({ server: `${server}\nprot: 1\nlimits: none`, destinations: 'bus: {}' })).toMatchObject(well)
  expect(await status({ server, webhooks: `tokens: ["\${NOT_SET}"]` })).toMatchObject(well)
  expect(await status({ server, more: 'jobs: [\n  half: "written' })).toMatchObject(well)

  // What they need is named where it cannot be read, and nothing else.
  const wrong = await status({ server: server.replace(port, 'nix'), destinations: 'bus: {}' })
  expect(wrong).toMatchObject({ code: 2, out: '' })
  expect(wrong.err).toBe(`${config.path}:3 server.port: found "nix", expected a number\n`)
  const unset = await status({ server: server.replace('ADMIN_TOKEN', 'NOT_SET'), destinations: 'bus: {}' })
  expect(unset.err).toBe(
    `${config.path}:4 server.adminToken: found \${NOT_SET}, expected the environment variable NOT_SET to be set\n`,
  )
  const halved = await status({ server: 'port: "80' })
  expect(halved).toMatchObject({ code: 2, err: expect.stringMatching(/found text that is not YAML/) })

  const named = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  expect(await status({ server: 'port: "80' }, named)).toMatchObject(well)
  expect(await tillbridge(['status'], { ...named, TILLBRIDGE_CONFIG: '/nowhere/tillbridge.yaml' })).toMatchObject(well)
})

test('When a hub takes an act and says nothing before it ends, then nobody is told that none is there', async () => {
  const dying = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(dying, 'listening')
  const url = `http://127.0.0.1:${(dying.address() as AddressInfo).port}`
  const { code, err } = await tillbridge(['deliveries', 'skip', '7', '--reason', 'x'], {
    TILLBRIDGE_URL: url,
    TILLBRIDGE_ADMIN_TOKEN: 'x',
  })
  dying.close()
  expect(code).toBe(2)
  expect(err).toMatch(
    /^http.* did not answer to its end \(.+\)\. It may be done all the same: tillbridge audit list\.\n$/,
  )
})
