//! The effect of each git setting when a repository itself sets it, with the reason.
//!
//! `a.b` is the key `b` of the section `a`, `a.*.b` the same below any name, `a..b` either of them; `*` at the end is
//! every key. The first matching row decides. Values of some keys are examined in `settings`. A test walks `git help
//! --config`: each key of the installed git has a row. A key without a row needs agreement if git defines its section,
//! and is harmless if not: other programs use sections of their own.

/// The class of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It runs nothing, writes nothing outside and diverts no password.
    Harmless,
    /// None of our commands uses it, given these settings of ours.
    Idle(&'static [&'static str]),
    /// Only with the user's agreement.
    Asks,
}

use Class::{Asks, Harmless, Idle};

const NO_GC: Class = Idle(&["gc.auto=0", "maintenance.auto=false"]);

/// Settings in every call, which override the repository's.
pub(crate) const ALWAYS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=ssh",
    "diff.external=",
    "commit.gpgsign=false",
    "protocol.ext.allow=never",
    // A directory inside the working copy that looks like a bare repository is not used as one.
    "safe.bareRepository=explicit",
];

pub(super) const TABLE: &[(Class, &str, &str)] = &[
    // Settings that need agreement.
    (Asks, "a program that turns the bytes of files into others", "filter.*.clean filter.*.smudge filter.*.process"),
    (Asks, "a program that merges files", "merge.*.driver"),
    (Asks, "a strategy of merging is a program", "branch.*.mergeOptions pull.twohead pull.octopus"),
    (Asks, "a program that compares files", "diff.external diff.*.command diff.*.textconv"),
    (
        Asks,
        "a program on the way to a remote",
        "core.sshCommand core.gitProxy remote.*.uploadpack remote.*.receivepack remote.*.vcs",
    ),
    (Asks, "a program that is asked for passwords, or told them", "core.askPass credential..helper"),
    (Asks, "what keeps passwords apart", "credential.protectProtocol credential.sanitizePrompt"),
    (Asks, "a program that signs or checks signatures", "gpg.program gpg.*.program gpg.*.defaultKeyCommand"),
    (Asks, "a program at an event", "hook..*"),
    (Asks, "a program that lists what a borrowed store has", "core.alternateRefsCommand"),
    (
        Asks,
        "who is trusted on the way to a remote",
        "http..sslVerify http..sslCAInfo http..sslCAPath http..sslBackend http..sslVersion http..sslCipherList \
         http..schannelCheckRevoke http..schannelUseSSLCAInfo http..proxySSLCAInfo http..curloptResolve",
    ),
    (
        Asks,
        "which keys and passwords go to a remote",
        "http..sslCert http..sslKey http..sslCertType http..sslKeyType http..sslCertPasswordProtected \
         http..proxySSLCert http..proxySSLKey http..proxySSLCertPasswordProtected http..delegation \
         http..emptyAuth http..proactiveAuth http..followRedirects",
    ),
    (Asks, "a file that the server's words are written to, for one address", "http.*.cookieFile http.*.saveCookies"),
    (Asks, "where more is fetched from", "fetch.bundleURI bundle.*.uri"),
    (Asks, "hooks that a new repository gets", "init.templateDir"),
    (
        Asks,
        "a program of git-lfs, which a filter starts, or where it writes",
        "lfs.customtransfer.*.path lfs.customtransfer.*.args lfs.standalonetransferagent \
         lfs.*.standalonetransferagent lfs.extension.*.clean lfs.extension.*.smudge lfs.storage",
    ),
    (Asks, "files of another place", "core.worktree"),
    (Asks, "ways to a remote that are programs", "protocol..allow"),
    (Asks, "a program in place of an update", "submodule.*.update"),
    // Settings that none of our commands uses.
    (
        Idle(&[]),
        "overridden on every call; the hooks of a push with code are asked for by themselves",
        "core.hooksPath",
    ),
    (Idle(&[]), "overridden on every call", "core.fsmonitor fsmonitor.socketDir core.pager"),
    (
        Idle(&[]),
        "no command of ours has a pager or an editor",
        "pager.* core.editor sequence.editor interactive.diffFilter",
    ),
    (Idle(&[]), "an alias never stands for a command that git has", "alias..*"),
    (NO_GC, "our commands do not tidy up then", "gc.recentObjectsHook gc.repackFilterTo"),
    (
        Idle(&["http.cookieFile=", "http.saveCookies=false"]),
        "no cookies are read or kept then",
        "http.cookieFile http.saveCookies",
    ),
    (Idle(&[]), "git believes them only of the user", "uploadpack.packObjectsHook trace2.*"),
    (Idle(&[]), "no command of ours adds trailers", "trailer.*.cmd trailer.*.command"),
    (
        Idle(&[]),
        "only `git format-patch` and `git send-email`, which are not started",
        "format.outputDirectory sendemail..toCmd sendemail..ccCmd sendemail..headerCmd sendemail..sendmailCmd \
         sendemail..smtpServer sendemail..smtpPass sendemail..smtpSSLCertPath imap.tunnel imap.host imap.pass \
         imap.sslverify",
    ),
    (
        Idle(&[]),
        "only tools with a window or a page, which are not started",
        "browser.*.cmd browser.*.path man.*.cmd man.*.path web.browser help.browser help.htmlPath instaweb.* \
         guitool.*.cmd difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path",
    ),
    // Harmless settings.
    (
        Harmless,
        "looked at by what they lead to",
        "include.path includeIf.*.path remote.*.url remote.*.pushurl remote.pushDefault branch.*.remote \
         branch.*.pushRemote url.*.insteadOf url.*.pushInsteadOf",
    ),
    (
        Harmless,
        "what is exchanged, not how",
        "remote.*.fetch remote.*.push remote.*.mirror remote.*.partialclonefilter remote.*.promisor \
         remote.*.prune remote.*.pruneTags remote.*.skipDefaultUpdate remote.*.skipFetchAll remote.*.tagOpt \
         remote.*.followRemoteHEAD remote.*.serverOption remotes.* promisor.quiet",
    ),
    (
        Harmless,
        "a proxy sees what goes by only if the certificate is not checked, which asks",
        "http..proxy http..noProxy http..proxyAuthMethod remote.*.proxy remote.*.proxyAuthMethod",
    ),
    (
        Harmless,
        "how the other side is spoken to",
        "http..extraHeader http..userAgent http..postBuffer http..lowSpeedLimit http..lowSpeedTime \
         http..maxRequests http..minSessions http..noEPSV http..version http..sslTry http..pinnedPubkey \
         http..keepAliveIdle http..keepAliveInterval http..keepAliveCount ssh.variant protocol.version \
         transfer.advertiseObjectInfo transfer.advertiseSID transfer.bundleURI transfer.credentialsInUrl \
         transfer.fsckObjects transfer.hideRefs transfer.unpackLimit uploadpack.allowAnySHA1InWant \
         uploadpack.allowFilter uploadpack.allowReachableSHA1InWant uploadpack.allowRefInWant \
         uploadpack.allowTipSHA1InWant uploadpack.hideRefs uploadpack.keepAlive uploadpackfilter.*.allow \
         uploadpackfilter.allow uploadpackfilter.tree.maxDepth uploadarchive.allowUnreachable \
         receive.advertiseAtomic receive.advertisePushOptions receive.autogc receive.certNonceSeed \
         receive.certNonceSlop receive.denyCurrentBranch receive.denyDeleteCurrent receive.denyDeletes \
         receive.denyNonFastForwards receive.fsckObjects receive.hideRefs receive.keepAlive receive.maxInputSize \
         receive.procReceiveRefs receive.shallowUpdate receive.unpackLimit receive.updateServerInfo \
         receive.fsck.* lsrefs.unborn",
    ),
    (
        Harmless,
        "who the user is there",
        "credential..username credential..useHttpPath credential..provider credential.interactive \
         credentialCache.ignoreSIGHUP credentialStore.lockTimeoutMS",
    ),
    (Harmless, "names of git have no hyphen: another program's", "remote.*.*-* branch.*.*-*"),
    (
        Harmless,
        "words",
        "author.* committer.* user.* \
         user.useConfigOnly i18n.commitEncoding i18n.logOutputEncoding branch.*.description branch.*.merge \
         branch.*.rebase branch.*.base branch.autoSetupMerge branch.autoSetupRebase branch.sort mailmap.blob \
         mailmap.file mailinfo.scissors versionsort.suffix pretty.*",
    ),
    (
        Harmless,
        "files that are only read, as lists",
        "core.attributesFile core.excludesFile commit.template blame.ignoreRevsFile diff.orderFile \
         gpg.ssh.allowedSignersFile gpg.ssh.revocationFile attr.tree",
    ),
    (
        Harmless,
        "how files and objects are kept",
        "core.abbrev core.alternateRefsPrefixes core.autocrlf core.bare core.bigFileThreshold \
         core.checkRoundtripEncoding core.checkStat core.commentChar core.commentString core.commitGraph \
         core.compression core.createObject core.deltaBaseCacheLimit core.eol core.fileMode \
         core.filesRefLockTimeout core.fsmonitorHookVersion core.fsync core.fsyncMethod core.fsyncObjectFiles \
         core.hideDotFiles core.ignoreCase core.ignoreStat core.logAllRefUpdates core.longpaths \
         core.looseCompression core.maxTreeDepth core.multiPackIndex core.notesRef core.packedGitLimit \
         core.packedGitWindowSize core.packedRefsTimeout core.precomposeUnicode core.preferSymlinkRefs \
         core.preloadIndex core.protectHFS core.protectNTFS core.quotePath core.repositoryFormatVersion \
         core.restrictinheritedhandles core.safecrlf core.sharedRepository core.sparseCheckout \
         core.sparseCheckoutCone core.splitIndex core.symlinks core.trustctime core.unsetenvvars \
         core.untrackedCache core.useReplaceRefs core.warnAmbiguousRefs core.whitespace extensions.* \
         index.recordEndOfIndexEntries index.recordOffsetTable index.skipHash index.sparse index.threads \
         index.version pack.allowPackReuse pack.compression pack.deltaCacheLimit pack.deltaCacheSize pack.depth \
         pack.indexVersion pack.island pack.islandCore pack.packSizeLimit pack.preferBitmapTips \
         pack.readReverseIndex pack.threads pack.useBitmapBoundaryTraversal pack.useBitmaps pack.useSparse \
         pack.window pack.windowMemory pack.writeBitmapHashCache pack.writeBitmapLookupTable \
         pack.writeReverseIndex repack.cruftDepth repack.cruftThreads repack.cruftWindow repack.cruftWindowMemory \
         repack.packKeptObjects repack.updateServerInfo repack.useDeltaBaseOffset repack.useDeltaIslands \
         repack.writeBitmaps reftable.blockSize reftable.geometricFactor reftable.indexObjects \
         reftable.lockTimeout reftable.restartInterval splitIndex.maxPercentChange splitIndex.sharedIndexExpire \
         sparse.expectFilesOutsideOfPatterns commitGraph.changedPathsVersion commitGraph.generationVersion \
         commitGraph.maxNewFilters commitGraph.readChangedPaths bitmapPseudoMerge.*.decay \
         bitmapPseudoMerge.*.maxMerges bitmapPseudoMerge.*.pattern bitmapPseudoMerge.*.sampleRate \
         bitmapPseudoMerge.*.stableSize bitmapPseudoMerge.*.stableThreshold bitmapPseudoMerge.*.threshold \
         fastimport.unpackLimit tar.umask feature.experimental feature.manyFiles worktree.guessRemote \
         worktree.useRelativePaths fsmonitor.allowRemote",
    ),
    (
        Harmless,
        "when git tidies up",
        "gc.aggressiveDepth gc.aggressiveWindow gc.auto gc.autoDetach gc.autoPackLimit gc.bigPackThreshold \
         gc.cruftPacks gc.logExpiry gc.maxCruftSize gc.packRefs gc.pruneExpire gc.reflogExpire \
         gc.reflogExpireUnreachable gc.*.reflogExpire gc.*.reflogExpireUnreachable gc.repackFilter \
         gc.rerereResolved gc.rerereUnresolved gc.worktreePruneExpire gc.writeCommitGraph maintenance.*.enabled \
         maintenance.*.schedule maintenance.auto maintenance.autoDetach maintenance.commit-graph.auto \
         maintenance.incremental-repack.auto maintenance.loose-objects.auto maintenance.strategy",
    ),
    (Harmless, "a filter without its programs does nothing", "filter.*.required"),
    (
        Harmless,
        "how commits are made and compared",
        "add.ignoreErrors add.interactive.useBuiltin am.keepcr am.threeWay apply.ignoreWhitespace \
         apply.whitespace blame.blankBoundary blame.coloring blame.date blame.markIgnoredLines \
         blame.markUnblamableLines blame.showEmail blame.showRoot checkout.defaultRemote checkout.guess \
         checkout.thresholdForParallelism checkout.workers clean.requireForce clone.defaultRemoteName \
         clone.filterSubmodules clone.rejectShallow commit.cleanup commit.gpgSign commit.status commit.verbose \
         diff.*.algorithm diff.*.binary diff.*.cachetextconv diff.*.trustExitCode diff.*.wordRegex \
         diff.*.xfuncname diff.*.funcname diff.algorithm diff.autoRefreshIndex diff.colorMoved diff.colorMovedWS \
         diff.context diff.dirstat diff.dstPrefix diff.guitool diff.ignoreSubmodules diff.indentHeuristic \
         diff.interHunkContext diff.mnemonicPrefix diff.noPrefix diff.relative diff.renameLimit diff.renames \
         diff.srcPrefix diff.statGraphWidth diff.statNameWidth diff.submodule diff.suppressBlankEmpty diff.tool \
         diff.trustExitCode diff.wordRegex diff.wsErrorHighlight grep.column grep.extendedRegexp \
         grep.fallbackToNoIndex grep.fullName grep.lineNumber grep.patternType grep.threads log.abbrevCommit \
         log.date log.decorate log.diffMerges log.excludeDecoration log.follow log.graphColors \
         log.initialDecorationSet log.mailmap log.showRoot log.showSignature merge.*.name merge.*.recursive \
         merge.autoStash merge.branchdesc merge.conflictStyle merge.defaultToUpstream merge.directoryRenames \
         merge.ff merge.guitool merge.log merge.renameLimit merge.renames merge.renormalize merge.stat \
         merge.suppressDest merge.tool merge.verbosity merge.verifySignatures notes.*.mergeStrategy \
         notes.displayRef notes.mergeStrategy notes.rewrite.* notes.rewriteMode notes.rewriteRef pull.ff \
         pull.rebase push.autoSetupRemote push.default push.followTags push.gpgSign push.negotiate \
         push.pushOption push.recurseSubmodules push.useBitmaps push.useForceIfIncludes rebase.abbreviateCommands \
         rebase.autoSquash rebase.autoStash rebase.backend rebase.forkPoint rebase.instructionFormat \
         rebase.maxLabelLength rebase.missingCommitsCheck rebase.rebaseMerges rebase.rescheduleFailedExec \
         rebase.stat rebase.updateRefs rerere.autoUpdate rerere.enabled revert.reference showBranch.default \
         stash.showIncludeUntracked stash.showPatch stash.showStat status.aheadBehind status.branch \
         status.displayCommentPrefix status.relativePaths status.renameLimit status.renames status.short \
         status.showStash status.showUntrackedFiles status.submoduleSummary tag.forceSignAnnotated tag.gpgSign \
         tag.sort gpg.format gpg.minTrustLevel trailer..separator trailer..where trailer..ifexists \
         trailer..ifmissing trailer.*.key init.defaultBranch init.defaultObjectFormat init.defaultRefFormat",
    ),
    (
        Harmless,
        "how much is fetched",
        "fetch.all fetch.bundleCreationToken fetch.fsck.* fetch.fsckObjects fetch.negotiationAlgorithm \
         fetch.output fetch.parallel fetch.prune fetch.pruneTags fetch.recurseSubmodules fetch.showForcedUpdates \
         fetch.unpackLimit fetch.writeCommitGraph bundle.heuristic bundle.mode bundle.version \
         bundle.*.creationToken bundle.*.heuristic bundle.*.location bundle.*.mode bundle.*.version \
         bundle.*.filter",
    ),
    (
        Harmless,
        "our commands enter no submodule but to see whether it is changed, and its own settings are judged",
        "submodule..active submodule..branch submodule..fetchRecurseSubmodules submodule..ignore submodule..path \
         submodule..url submodule.alternateErrorStrategy submodule.alternateLocation submodule.fetchJobs \
         submodule.propagateBranches submodule.recurse",
    ),
    (Harmless, "git believes them only of the user, and they run nothing", "safe.*"),
    (
        Harmless,
        "how things look",
        "advice.* color..* column.* fsck..* help.autoCorrect help.format interactive.singleKey \
         completion.commands man.viewer gui..* guitool.*.* gitweb..* gitcvs..*",
    ),
    (Harmless, "tools that are not started", "difftool..* mergetool..* format.* sendemail..* imap.*"),
    (Harmless, "git-lfs keeps notes there", "lfs..*"),
];

/// The row of a key.
pub(super) fn class(section: &str, sub: Option<&str>, key: &str) -> Option<Class> {
    let fits = |keys: &str| keys.split_whitespace().any(|pattern| fits(pattern, section, sub, key));
    TABLE.iter().find(|(_, _, keys)| fits(keys)).map(|(class, _, _)| *class)
}

/// Whether the table has any key of a section.
pub(super) fn knows(section: &str) -> bool {
    let begins = |pattern: &str| pattern.split('.').next().is_some_and(|name| name.eq_ignore_ascii_case(section));
    TABLE.iter().any(|(_, _, keys)| keys.split_whitespace().any(begins))
}

pub(super) fn fits(pattern: &str, section: &str, sub: Option<&str>, key: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('.') else { return false };
    if !first.eq_ignore_ascii_case(section) {
        return false;
    }
    let (middle, last) = match rest.rsplit_once('.') {
        Some((middle, last)) => (Some(middle), last),
        None => (None, rest),
    };
    let is_last = match last {
        "*" => true,
        "*-*" => key.contains('-'),
        last => last.eq_ignore_ascii_case(key),
    };
    let is_middle = match (middle, sub) {
        (None, sub) => sub.is_none(),
        (Some(""), _) => true,
        (Some("*"), sub) => sub.is_some(),
        // A name that itself begins with a word: `lfs.customtransfer.*.path`.
        (Some(middle), sub) => {
            let start = middle.trim_end_matches('*').to_lowercase();
            sub.is_some_and(|sub| sub.to_lowercase().starts_with(&start))
        }
    };
    is_last && is_middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Env;
    use crate::sys::process::{Clearance, Program};

    /// Each setting that this git documents has a row: none needs agreement only because it was forgotten.
    #[test]
    fn every_documented_setting_has_a_row() {
        let env = Env::process();
        let program = Program::new("git", &env, Clearance::given()).args(["help", "--config"]);
        let output = program.run().expect("git is installed");
        let text = String::from_utf8(output.stdout).unwrap();
        let keys: Vec<&str> = text.lines().filter(|line| line.contains('.') && !line.contains(' ')).collect();
        assert!(keys.len() > 500, "{} keys", keys.len());
        // Every key below a name: the key itself says what it is for.
        let open = ["feature.*", "bundle.*", "bundle.<id>.*", "credential.<url>.*", "http.<url>.*"];
        for key in keys.into_iter().filter(|key| !open.contains(key)) {
            let (section, rest) = key.split_once('.').unwrap();
            let (sub, last) = match rest.rsplit_once('.') {
                Some((sub, last)) => (Some(sub), last),
                None => (None, rest),
            };
            assert!(class(section, sub, last).is_some(), "{key} has no row");
            let is_name = last.starts_with('<');
            assert!(is_name || !last.contains('-'), "{key}: a hyphen counts as the sign of another program");
        }
    }

    #[test]
    fn the_first_row_decides() {
        assert_eq!(class("HTTP", None, "cookiefile"), Some(Idle(&["http.cookieFile=", "http.saveCookies=false"])));
        assert_eq!(class("http", Some("https://x"), "cookiefile"), Some(Asks));
        assert_eq!(class("lfs", Some("customtransfer.a.b"), "path"), Some(Asks));
        assert_eq!(class("lfs", Some("https://x/customtransfer"), "access"), Some(Harmless));
        assert_eq!(class("merge", None, "nosuch"), None);
        assert!(knows("merge") && !knows("gitflow"));
    }
}
