import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { issueSignInCode } from '../access/sign-in-codes.ts'
import { vouchForMember } from '../managed-members/vouch.ts'
import { readBrowserState } from './browser-state.ts'
import { readDiscovery } from './discovery.ts'
import { type Identity, toIdentity, verifyIdToken } from './id-token.ts'
import { IdentityProviderError } from './limited-fetch.ts'
import { redeemCode } from './redeem-code.ts'
import { requireSignInProvider } from './start.ts'
import { type KnownMember, type SignInProvider, signInStore } from './store.ts'
import { addUserInfo } from './user-info.ts'

type Answer = {
	state: string
	code?: string | undefined
	error?: string | undefined
	iss?: string | undefined
}
type Outcome = { code: string } | { error: 'access_denied' | 'server_error'; error_description: string }

/** Why a sign-in ends without a code. The message is for the page that started it. */
class SignInRefusal extends Error {}

/** Ends a sign-in: returns the page that started it, with a code or an error. */
export async function finishSignIn(deps: Deps, providerId: number, request: Request, answer: Answer) {
	const browser = await readBrowserState(deps, providerId, request, answer.state)
	if (!browser)
		throw new AppError('validation', 'state: this browser has not started this sign-in; start again')
	const provider = await requireSignInProvider(deps, providerId, browser.returnTo)
	const act = async (): Promise<Outcome> => {
		if (answer.iss !== undefined && answer.iss !== provider.issuer)
			throw new IdentityProviderError('the response of the provider names another issuer')
		if (answer.code === undefined) throw new SignInRefusal('the provider did not sign you in')
		const discovery = await readDiscovery(deps, provider.issuer)
		const tokens = await redeemCode(deps, provider, discovery, answer.code, browser)
		const { issuer, clientId } = provider
		const { nonce } = browser
		const claims = await verifyIdToken(deps, discovery, tokens.id_token, { issuer, clientId, nonce })
		const identify = async () => toIdentity(await addUserInfo(deps, discovery, claims, tokens.access_token))
		const member = await findOrAddMember(deps, provider, claims.sub, identify)
		const code = await issueSignInCode(deps, member, browser.challenge)
		if (code === null) throw new SignInRefusal('your membership has ended')
		return { code }
	}
	const outcome = await act().catch((error: unknown): Outcome => {
		if (error instanceof SignInRefusal) return { error: 'access_denied', error_description: error.message }
		if (!(error instanceof IdentityProviderError)) throw error
		deps.log.warn('identity provider failed', { providerId, problem: error.message })
		const advice = error.isTemporary
			? 'try again later'
			: 'ask an owner of the community to correct its setup'
		return { error: 'server_error', error_description: `the provider could not sign you in; ${advice}` }
	})
	return addToQuery(browser.returnTo, outcome)
}

/** The limit of `ssoUserId` in the contract. */
const MAX_SSO_USER_ID = 255

/** Returns the id of a person in the community. Ids of providers are never reused, so no other provider can name them. */
function formatSsoUserId({ id }: SignInProvider, subject: string): string {
	const ssoUserId = `oidc:${id}:${subject}`
	if (ssoUserId.length > MAX_SSO_USER_ID)
		throw new SignInRefusal(
			'your id at the identity provider is too long; ask its administrator for a shorter one',
		)
	return ssoUserId
}

async function findOrAddMember(
	deps: Deps,
	provider: SignInProvider,
	subject: string,
	identify: () => Promise<Identity>,
): Promise<KnownMember> {
	const { communityId, orgId, joining } = provider
	const ssoUserId = formatSsoUserId(provider, subject)
	const find = () => signInStore(deps.db).findMember(communityId, ssoUserId)
	let member = await find()
	if (!member && joining === 'anyone') {
		const { name, email } = await identify()
		await vouchForMember(
			deps,
			{ kind: 'identity provider', org: { id: orgId } },
			communityId,
			{ ssoUserId, name, ...(email !== null && { email }) },
			true,
		)
		member = await find()
	}
	if (!member) throw new SignInRefusal('you are no member of this community')
	if (member.isClosed) throw new SignInRefusal('this member has an account; sign in with the account')
	if (member.status !== 'active') throw new SignInRefusal(`your membership is ${member.status}`)
	return member
}

function addToQuery(returnTo: string, outcome: Outcome): string {
	const url = new URL(returnTo)
	for (const name of ['code', 'error', 'error_description']) url.searchParams.delete(name)
	for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value)
	return url.href
}
