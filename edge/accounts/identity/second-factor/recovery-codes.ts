import { RECOVERY_CODES } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { sha256 } from '../../../platform/tokens/digest.ts'

/** Without letters that look like digits, as in ids. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const GROUPS = 4
const GROUP_LENGTH = 4

export type NewCodes = { codes: string[]; hashes: string[] }

/** Returns codes of 80 random bits, so that their plain hashes can't be reversed. */
export async function newRecoveryCodes(): Promise<NewCodes> {
	const codes = Array.from({ length: RECOVERY_CODES }, () =>
		Array.from({ length: GROUPS }, newGroup).join('-'),
	)
	return { codes, hashes: await Promise.all(codes.map(hashRecoveryCode)) }
}

const newGroup = (): string =>
	Array.from(crypto.getRandomValues(new Uint8Array(GROUP_LENGTH)), (byte) => ALPHABET[byte & 31]).join('')

/** Ignores case, spaces and hyphens, and maps look-alike letters to digits. */
export const hashRecoveryCode = (typed: string): Promise<string> =>
	sha256(typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1'))
