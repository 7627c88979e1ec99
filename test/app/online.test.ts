import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { tillbridge } from '../cli/run.ts'
import { writtenConfig } from './written.ts'

/** An adapter of one's own that looks at its system. */
const OWN = `import { z } from '${new URL('../../node_modules/zod/index.js', import.meta.url)}'
export default {
  name: 'own',
  options: z.strictObject({ down: z.boolean().default(false) }),
  create({ down }) {
    return {
      ports: {},
      async healthCheck() {
        if (down) throw new Error('nobody answers there')
        return [{ what: 'table sales', state: 'problem', says: 'It lacks a column.', todo: 'add it.' }]
      },
      async [Symbol.asyncDispose]() {},
    }
  },
}
`

test('when check asks online, then the platform says which names there are and whether it knows our keys, and destinations what they find', async () => {
  const keys = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
  await using platform = await startPlatform(keys)
  const asked = (key = 'API_KEY') =>
    `baseUrl: ${platform.url}\napiKey: \${${key}}\nsubscriptionKey: \${SUBSCRIPTION_KEY}\nsaleStores: { NO: "111" }`
  const destinations = 'one:\n  adapter: ./own.mjs\n  stores: [NO, "102"]\ntwo:\n  adapter: ./own.mjs\n  down: true'
  const server = `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}\npublicUrl: https://hub.example.com`
  await using config = await writtenConfig({ server, platform: asked(), destinations })
  await writeFile(join(config.folder, 'own.mjs'), OWN)
  const offline = await tillbridge(['check'], config.env)
  expect(offline).toMatchObject({ code: 0, err: '' })
  const online = await tillbridge(['check', '--online'], config.env)
  expect(online).toMatchObject({ code: 1, err: '' })
  expect(online.out).toMatch(/platform\.saleStores\.NO: found "111", expected a store of the platform: one of 101, /)
  expect(online.out).not.toMatch(/destinations\.one\.stores/)
  expect(online.out).toMatch(/^ok +credentials +It accepts both keys\.$/m)
  expect(online.out).toMatch(/^problem +destinations +one, table sales: It lacks a column\. To do: add it\.$/m)
  expect(online.out).toMatch(/^problem +destinations +two, connection: .*\(nobody answers there\)\./m)
  await config.write({ server, platform: asked('SHOP_PASSWORD'), destinations: 'one:\n  adapter: ./own.mjs' })
  const refused = await tillbridge(['check', '--online'], config.env)
  expect(refused).toMatchObject({ code: 1, err: '' })
  expect(refused.out).toMatch(/^problem +credentials /m)
})
