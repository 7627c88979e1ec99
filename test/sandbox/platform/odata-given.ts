import request from 'supertest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { HEADERS } from './given.ts'

/** The rows of an odata set. */
export async function odata(platform: SandboxPlatform, query: string): Promise<Record<string, string | number>[]> {
  const { body } = await request(platform.url)
    .get(`/odata/${query}`)
    .set(HEADERS)
    .set('accept', 'application/json')
    .expect(200)
  return body.value
}
