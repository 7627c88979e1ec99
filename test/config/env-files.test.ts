import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEnvReader } from '../../src/config/placeholders.ts'
import { temporaryFolder } from './fixture.ts'

test('when a file changes that Node was told to read the environment from, then its values are those of now, and what was given otherwise stays', async () => {
  const file = join(await temporaryFolder(), '.env')
  await writeFile(file, 'TOKEN=one\nGIVEN=of the file\nGOES=soon\n')
  // As Node makes it: what the process was given is stronger than the file.
  const env = { TOKEN: 'one', GOES: 'soon', GIVEN: 'to the process', PATH: '/bin' }
  const given = { GIVEN: 'to the process', PATH: '/bin' }
  for (const args of [
    [`--env-file=${file}`],
    ['--no-warnings', `--env-file-if-exists=${file}`],
    ['--env-file', file],
  ]) {
    await writeFile(file, 'TOKEN=one\nGIVEN=of the file\nGOES=soon\n')
    const read = createEnvReader(env, args)
    expect(read()).toEqual(env)
    await writeFile(file, 'TOKEN="two"\nGIVEN=another\nCOMES=new\n')
    expect(read()).toEqual({ ...given, TOKEN: 'two', COMES: 'new' })
  }
})

test('when Node was told of no file, or of one that is not there, then the environment stays as it was', async () => {
  const env = { TOKEN: 'one' }
  expect(createEnvReader(env, [])()).toEqual(env)
  expect(createEnvReader(env, ['--env-file-if-exists=/nowhere/.env'])()).toEqual(env)
})
