import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { root } from '../lib/root.ts'
import { redoclyRules, spectralRules } from './openapi-rules.ts'

/** Returns what two linters of OpenAPI object to in a document. They load nothing from the network. */
export async function lintOpenapi(source: string): Promise<string[]> {
	return [...(await lintWithRedocly(source)), ...(await lintWithSpectral(source))]
}

async function lintWithRedocly(source: string): Promise<string[]> {
	const config = await createConfig({ extends: ['recommended'], rules: redoclyRules })
	const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
	return problems.map(
		({ ruleId, message, location }) => `redocly ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
	)
}

async function lintWithSpectral(source: string): Promise<string[]> {
	const spectral = new spectralCore.Spectral()
	// Its own type lacks a field that is optional in fact.
	const oas = spectralRulesets.oas as unknown as RulesetDefinition
	spectral.setRuleset({ extends: [[oas, 'recommended']], rules: spectralRules })
	const problems = await spectral.run(JSON.parse(source))
	return problems.map(({ code, message, path }) => `spectral ${code}: ${message} (${path.join('/')})`)
}

if (import.meta.main) {
	const problems = await lintOpenapi(await readFile(join(root, 'schema/openapi.json'), 'utf8'))
	for (const problem of problems) console.log(problem)
	if (problems.length > 0) process.exitCode = 1
}
