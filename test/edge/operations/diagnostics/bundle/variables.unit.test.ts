import { expect, test } from 'vitest'
import {
	listSecretValues,
	shownVariables,
	viewVariables,
} from '../../../../../edge/operations/diagnostics/bundle/variables.ts'
import { type Bindings, Variables } from '../../../../../edge/platform/env.ts'

const accepts = (name: keyof Variables, value: string) => Variables.shape[name].safeParse(value).success

test('the bundle shows exactly the variables that accept only switches, numbers and choices', () => {
	const texts = [
		'anything',
		'https://host.example',
		'smtp://host.example',
		'a-token-of-more-than-32-characters',
	]
	const forms = [
		...['mailto:a@b.example', '192.168.0.0/16', 'sk_0123456789', 'whsec_0123456789'],
		...['b3ac1f4e-6b0a-4b1e-9d0e-2f3a4b5c6d7e'],
		...['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'],
	]
	const ofText = Object.keys(Variables.shape).filter((name) =>
		[...texts, ...forms].some((value) => accepts(name as keyof Variables, value)),
	)
	expect([...shownVariables, ...ofText].toSorted()).toEqual(Object.keys(Variables.shape).toSorted())
})

test('values of shown variables are no secrets, so large numbers stay in texts', () => {
	const bindings = { LANGUAGE_MODEL_TOKENS_PER_MONTH: '5000000', BACKUPS_ENABLED: 'false', SMTP_URL: '' }
	const known = { ...bindings, FLEET_TOKEN: 'a-fleet-token-of-enough-characters' } as unknown as Bindings
	expect(listSecretValues(known)).toEqual(expect.arrayContaining(['a-fleet-token-of-enough-characters']))
	expect(listSecretValues(known)).not.toContain('5000000')
	expect(viewVariables(known)).toMatchObject({ ...bindings, SMTP_URL: 'not set', FLEET_TOKEN: 'set' })
})
