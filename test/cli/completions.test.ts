import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { tillbridge } from './run.ts'

/** What bash offers where somebody has typed this. */
async function offered(...typed: string[]): Promise<string[]> {
  const { out } = await tillbridge(['completions', 'bash'])
  const words = ['tillbridge', ...typed].map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _tillbridge; printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = execFileSync('bash', ['--norc', '-c', `${out}\n${asked}`], { encoding: 'utf8' })
  return said.split('\n').filter(Boolean)
}

test('When a command, a command of a family, an option or a choice is begun, then the shell completes it', async () => {
  expect(await offered('dem')).toEqual(['demo'])
  expect(await offered('deliveries', 'li')).toEqual(['list'])
  expect(await offered('deliveries', 'list', '--ki')).toEqual(['--kind'])
  expect(await offered('deliveries', '--json', 'li')).toEqual(['list'])
  expect(await offered('completions', '')).toEqual(['bash', 'zsh', 'fish', '--help'])
})

test.each(['bash', 'zsh', 'fish'])(
  'When completions for %s are asked for, then each command is in it',
  async (shell) => {
    const { code, out } = await tillbridge(['completions', shell])
    expect(code).toBe(0)
    for (const words of ['demo', 'events list', 'keys create']) expect(out).toContain(words)
  },
)
