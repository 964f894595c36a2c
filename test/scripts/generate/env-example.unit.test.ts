import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { Variables } from '../../../edge/platform/env.ts'
import { writeEnvExample } from '../../../scripts/generate/env-example.ts'

const source = await readFile(new URL('../../../edge/platform/env.ts', import.meta.url), 'utf8')

/** Returns the variables after every commented variable has been enabled. */
const uncommented = (text: string) => parseEnv(text.replace(/^# (?=[A-Z][A-Z0-9_]*=)/gm, ''))

test('.env.example lists every variable with its default value', () => {
	const values = uncommented(writeEnvExample(source))
	expect(Object.keys(values).toSorted()).toEqual(Object.keys(Variables.shape).toSorted())
	expect(Variables.parse(values)).toEqual(Variables.parse({}))
})

test('.env.example sets no variable while all are commented out', () => {
	expect(parseEnv(writeEnvExample(source))).toEqual({})
})

test('.env.example prints the whole doc comment above its variable', () => {
	const changed = source.replace(
		'/** Sender of all mails. */',
		'/**\n\t\t * First line.\n\t\t * Second line.\n\t\t */',
	)
	expect(writeEnvExample(changed)).toContain('\n# First line.\n# Second line.\n# MAIL_FROM=')
})

test('the generator of .env.example fails for a variable without a doc comment', () => {
	const changed = source.replace('/** Sender of all mails. */', '')
	expect(() => writeEnvExample(changed)).toThrow('MAIL_FROM has no doc comment')
})
