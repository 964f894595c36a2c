CREATE TABLE `community_invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`invited_by_user_id` integer,
	`nonce` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `community_invitations_token` ON `community_invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `community_invitations_open` ON `community_invitations` (`community_id`,`email`) WHERE accepted_at is null;--> statement-breakpoint
CREATE INDEX `community_invitations_list` ON `community_invitations` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `community_invitations_email` ON `community_invitations` (`email`);--> statement-breakpoint
CREATE INDEX `community_invitations_inviter` ON `community_invitations` (`invited_by_user_id`) WHERE invited_by_user_id is not null;--> statement-breakpoint
CREATE TABLE `counter_repairs` (
	`counter` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `point_transactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`community_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`points` integer NOT NULL,
	`reason` text NOT NULL,
	`awarded_by_user_id` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `point_transactions_list` ON `point_transactions` (`community_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `point_transactions_balance` ON `point_transactions` (`user_id`,`community_id`,`points`);--> statement-breakpoint
CREATE INDEX `point_transactions_awarder` ON `point_transactions` (`awarded_by_user_id`) WHERE awarded_by_user_id is not null;