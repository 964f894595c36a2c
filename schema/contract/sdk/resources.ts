/** The SDK resources for the operations of a tag. */
export type TagResources = {
	/** The resource, with its parents, of operations whose id contains none of the nouns. */
	readonly resource: string
	/** The resource for each noun in an operation's id, in the singular. */
	readonly nouns?: Readonly<Record<string, string>>
}

const ofAdmins: TagResources = {
	resource: 'admin',
	nouns: {
		User: 'admin.users',
		Org: 'admin.orgs',
		Machine: 'admin.machines',
		Backup: 'admin.backups',
		DeadLetter: 'admin.deadLetters',
		AssetError: 'admin.assetErrors',
		WebhookFailure: 'admin.webhookFailures',
		InstallationAuditLog: 'admin.auditLog',
		AuditChain: 'admin.auditChain',
	},
}

/** A tag that is not listed here has a resource of its own name: `Live events` → `liveEvents`. */
export const resourcesByTag: Readonly<Record<string, TagResources>> = {
	Auth: {
		resource: 'auth',
		nouns: { Session: 'sessions', DeviceRequest: 'deviceRequests' },
	},
	Organizations: {
		resource: 'orgs',
		nouns: {
			Org: 'orgs',
			Member: 'members',
			Invitation: 'invitations',
			ApiKey: 'apiKeys',
			AuditLog: 'auditLog',
			Impersonation: 'impersonations',
			DeviceRequest: 'deviceRequests',
		},
	},
	'Account deletion': { resource: 'account', nouns: { Account: 'account' } },
	Assets: {
		resource: 'assets',
		nouns: {
			Asset: 'assets',
			Subtitle: 'subtitles',
			Transcript: 'transcripts',
			Chapter: 'chapters',
			Highlight: 'highlights',
			Comment: 'comments',
		},
	},
	Uploads: { resource: 'uploads', nouns: { Upload: 'uploads', DirectUpload: 'directUploads' } },
	'Public playback': { resource: 'playback', nouns: { Playback: 'playback' } },
	Analytics: { resource: 'analytics', nouns: { Analytics: 'analytics' } },
	'Community management': {
		resource: 'communities',
		nouns: {
			Community: 'communities',
			CommunityMember: 'communities.members',
			ManagedMember: 'communities.members',
			AccessGroup: 'communities.accessGroups',
			CommunityTopic: 'communities.topics',
			ProfileField: 'communities.profileFields',
			ManagedProfileField: 'communities.profileFields',
			Space: 'communities.spaces',
			ManagedSpace: 'communities.spaces',
			SpaceGroup: 'communities.spaceGroups',
		},
	},
	'Community: invitations': {
		resource: 'communities.invitations',
		nouns: {
			CommunityInvitation: 'communities.invitations',
			InvitationLink: 'communities.invitationLinks',
			ManagedMembership: 'communities.managedMemberships',
		},
	},
	'Community: identity providers': {
		resource: 'communities.identityProviders',
		nouns: { IdentityProvider: 'communities.identityProviders' },
	},
	'Community: points': { resource: 'communities.points', nouns: { Point: 'communities.points' } },
	'Community: sign-in': { resource: 'memberTokens' },
	'Community: members': {
		resource: 'community.members',
		nouns: { Community: 'community', Member: 'community.members', MemberCard: 'community.members' },
	},
	'Community: spaces': {
		resource: 'community.spaces',
		nouns: {
			Community: 'community',
			Space: 'community.spaces',
			SpaceGroup: 'community.spaceGroups',
			MemberSpaceGroup: 'community.spaceGroups',
			Topic: 'community.topics',
		},
	},
	'Community: images': {
		resource: 'community.images',
		nouns: { Image: 'community.images', PostImage: 'community.images' },
	},
	'Community: comments': {
		resource: 'community.comments',
		nouns: {
			Comment: 'community.comments',
			PostComment: 'community.comments',
			Reply: 'community.replies',
		},
	},
	'Community: post followers': { resource: 'community.posts', nouns: { Post: 'community.posts' } },
	'Community: events': {
		resource: 'community.events',
		nouns: { Event: 'community.events', CommunityEvent: 'community.events' },
	},
	'Community: live stream': { resource: 'community', nouns: { Community: 'community' } },
	Webhooks: {
		resource: 'webhooks',
		nouns: {
			Webhook: 'webhooks',
			WebhookEndpoint: 'webhooks.endpoints',
			WebhookEvent: 'webhooks.events',
		},
	},
	'Health and config': { resource: 'health' },
	Operators: ofAdmins,
	Administration: ofAdmins,
	Diagnostics: ofAdmins,
}
