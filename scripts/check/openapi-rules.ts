/** Redocly rules (`recommended`) with changed severity, and why. All others must pass. */
export const redoclyRules = {
	'info-license': 'error',
	'operation-operationId': 'error',
	'no-required-schema-properties-undefined': 'error',
	// The specification of account deletion has these paths; they are also served without the slash.
	'no-path-trailing-slash': 'off',
	// Health checks and /v1/config have no errors of the caller.
	'operation-4xx-response': 'off',
	// The connection of a machine answers 101.
	'operation-2xx-response': 'off',
	// Player events are checked one by one, so the list accepts anything.
	'no-illogical-composition-keywords': 'off',
	// A tag is the name of the resource.
	'tag-description': 'off',
} as const

/** Spectral rules (`oas`, recommended) with changed severity, and why. */
export const spectralRules = {
	'path-keys-no-trailing-slash': 'off',
	'operation-success-response': 'off',
	// Self-explanatory summaries need no description.
	'operation-description': 'off',
	// Each installation has its own operator, named in /.well-known/security.txt.
	'info-contact': 'off',
} as const
