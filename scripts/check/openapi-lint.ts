import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import owaspRuleset from '@stoplight/spectral-owasp-ruleset'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { root } from '../lib/root.ts'
import { exceptions, stricterRedoclyRules } from './openapi-rules.ts'

type Problem = { linter: keyof typeof exceptions; rule: string; text: string }
type Excepted = { [linter in keyof typeof exceptions]: Record<string, string> }

/** Returns what the linters of OpenAPI object to in a document. They load nothing from the network. */
export async function lintOpenapi(source: string, excepted: Excepted = exceptions): Promise<Problem[]> {
	return [...(await lintWithRedocly(source, excepted)), ...(await lintWithSpectral(source, excepted))]
}

async function lintWithRedocly(source: string, { redocly }: Excepted): Promise<Problem[]> {
	const config = await createConfig({
		extends: ['recommended'],
		rules: { ...stricterRedoclyRules, ...switchOff(redocly) },
	})
	const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
	return problems.map(({ ruleId, message, location }) => ({
		linter: 'redocly',
		rule: ruleId,
		text: `${message} (${location[0]?.pointer ?? ''})`,
	}))
}

async function lintWithSpectral(source: string, { spectral, owasp }: Excepted): Promise<Problem[]> {
	const linter = new spectralCore.Spectral()
	// Its own type lacks a field that is optional in fact.
	const oas = spectralRulesets.oas as unknown as RulesetDefinition
	linter.setRuleset({
		extends: [
			[oas, 'recommended'],
			[owaspRuleset as unknown as RulesetDefinition, 'all'],
		],
		rules: { ...switchOff(spectral), ...switchOff(owasp) },
	})
	const problems = await linter.run(JSON.parse(source))
	return problems.map(({ code, message, path }) => ({
		linter: String(code).startsWith('owasp:') ? 'owasp' : 'spectral',
		rule: String(code),
		text: `${message} (${path.join('/')})`,
	}))
}

const switchOff = (rules: Record<string, string>): Record<string, 'off'> =>
	Object.fromEntries(Object.keys(rules).map((rule) => [rule, 'off']))

if (import.meta.main) {
	const problems = await lintOpenapi(await readFile(join(root, 'schema/openapi.json'), 'utf8'))
	for (const { linter, rule, text } of problems) console.log(`${linter} ${rule}: ${text}`)
	if (problems.length > 0) process.exitCode = 1
}
