import { describe } from 'vitest'
import { sqlFailureStories } from './failure-stories.ts'
import { sqlServers } from './servers.ts'
import { sqlStories } from './stories.ts'

for (const server of await sqlServers()) {
  const stories = () => {
    sqlStories(server)
    sqlFailureStories(server)
  }
  if (server.url === null) describe.skip(`the adapter sql on ${server.name} (${server.why})`, stories)
  else describe(`the adapter sql on ${server.name}`, stories)
}
