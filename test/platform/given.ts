import { expect } from 'vitest'
import type { Platform } from '../../src/platform/platform.ts'
import { createPlatform, type PlatformOptions } from '../../src/platform/platform.ts'
import { type PlatformServer, startPlatformServer } from './server.ts'

export const API_KEY = 'api-key-of-the-tests'
export const SUBSCRIPTION_KEY = 'subscription-key-of-the-tests'

export interface Given extends AsyncDisposable {
  server: PlatformServer
  platform: Platform
}

export async function givenPlatform(options: Partial<PlatformOptions> = {}): Promise<Given> {
  const server = await startPlatformServer()
  const platform = createPlatform({
    preset: 'spec',
    baseUrl: server.url,
    apiKey: API_KEY,
    subscriptionKey: SUBSCRIPTION_KEY,
    ...options,
  })
  return {
    server,
    platform,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A platform that answers everything so. */
export async function givenAnswer(
  answer: Parameters<PlatformServer['play']>[0],
  options: Partial<PlatformOptions> = {},
): Promise<Given> {
  const given = await givenPlatform(options)
  given.server.play(answer)
  return given
}

export async function failureOf(call: Promise<unknown>): Promise<Error & { code?: string; scope?: string }> {
  const failure = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (failure instanceof Error) return failure
  throw new Error('It did not fail.')
}

/** It is refused before anything is sent, and says why. */
export async function expectRefused({ server }: Given, call: Promise<unknown>, why: string): Promise<void> {
  expect(await failureOf(call)).toMatchObject({
    name: 'PermanentError',
    code: 'invalid-request',
    message: expect.stringContaining(why),
  })
  expect(server.asked).toEqual([])
}
