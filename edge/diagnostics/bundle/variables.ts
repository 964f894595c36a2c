import { type Bindings, Variables } from '../../platform/env.ts'

/** Switches, numbers and choices. Every other variable is shown as set or not, also one that is added later. */
const shown: readonly string[] = [
	...['ENVIRONMENT', 'REGISTRATION_ENABLED', 'DEFAULT_TIER', 'ORGS_PER_PERSON', 'INVITATIONS_PER_DAY'],
	...['ALLOW_HTTP_URLS', 'ACCOUNT_DELETION_NOTICES', 'ERASURE_LEDGER_DAYS', 'LEASE_SECONDS'],
	...['TRANSCRIPTION_PROVIDER', 'TRANSCRIPTION_MICROS_PER_MINUTE', 'TRANSCRIPTION_SECONDS_PER_MONTH'],
	...['TRANSCRIPTION_MICROS_PER_MONTH'],
]

const namesOfVariables = Object.keys(Variables.shape)

export const viewVariables = (bindings: Bindings): Record<string, string> =>
	Object.fromEntries(namesOfVariables.map((name) => [name, viewVariable(name, bindings[name])]))

function viewVariable(name: string, value: unknown): string {
	if (typeof value !== 'string' || value === '') return 'not set'
	return shown.includes(name) ? value : 'set'
}

/** Returns the values that must appear nowhere. */
export const secretValues = (bindings: Bindings): string[] =>
	namesOfVariables.flatMap((name) => {
		const value = bindings[name]
		return typeof value === 'string' && !shown.includes(name) ? [value] : []
	})

export const namesOfBindings = (bindings: Bindings): string[] =>
	Object.keys(bindings)
		.filter((name) => typeof bindings[name] === 'object' && bindings[name] !== null)
		.toSorted()
