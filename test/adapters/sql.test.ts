import { describe } from 'vitest'
import { sqlServers } from './sql-servers.ts'
import { sqlStories } from './sql-stories.ts'

for (const server of await sqlServers()) {
  if (server.url === null) describe.skip(`the adapter sql on ${server.name} (${server.why})`, () => sqlStories(server))
  else describe(`the adapter sql on ${server.name}`, () => sqlStories(server))
}
