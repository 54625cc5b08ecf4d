ALTER TABLE "tickets" ADD COLUMN "invited_by" text;--> statement-breakpoint
CREATE INDEX "tickets_invitations" ON "tickets" USING btree ("invited_by");