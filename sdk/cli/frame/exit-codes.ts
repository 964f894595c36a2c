export const FAILED = 1
export const USAGE = 2
export const NOT_SIGNED_IN = 4
export const NOT_FOUND = 5
/** EX_TEMPFAIL of sysexits.h. */
export const TRY_LATER = 75
/** 128 and the number of SIGINT. */
export const INTERRUPTED = 130

export const exitCodes = [
	{ code: 0, meaning: 'the command succeeded' },
	{ code: FAILED, meaning: 'the command failed' },
	{ code: USAGE, meaning: 'the command line is wrong' },
	{ code: NOT_SIGNED_IN, meaning: 'the key is missing, wrong, expired or revoked' },
	{ code: NOT_FOUND, meaning: 'the resource does not exist, or the key may not see it' },
	{ code: TRY_LATER, meaning: 'the server is not available now; the same command may succeed later' },
	{ code: INTERRUPTED, meaning: 'the command was interrupted' },
] as const
