import type { Feature } from '../../http/feature.ts'
import { authenticateKey } from './authenticate.ts'
import { mailOrgInvitation } from './invitations.ts'
import { notifyOfKey, notifyOfMember } from './notices.ts'
import { orgsPersonalData } from './personal-data.ts'
import { orgRoutes } from './routes.ts'
import { securityRoutes } from './security/routes.ts'

export const orgsFeature = {
	routes: [...orgRoutes, ...securityRoutes],
	authenticators: { key: authenticateKey },
	followers: {
		'org.member_invited': mailOrgInvitation,
		'org.member_joined': notifyOfMember,
		'org.api_key_created': notifyOfKey,
	},
	personalData: orgsPersonalData,
} satisfies Feature
