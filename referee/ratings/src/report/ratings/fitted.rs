//! The model fitted to evidence, with the jackknife's account of its uncertainty.

use crate::evidence::Evidence;
use crate::model::{
    DavidsonLuce, Direction, Fitter, Jackknife, Origin, OwnClusters, Paths, Scale, Strengths,
};

/// The spread of openings is fitted where it is this many standard errors above 0, in games with
/// several openings: to leave it out where it is costs more than to fit it where it is not.
const SPREAD_SEEN: f64 = 1.0;
/// In games of one opening, pairs should not depend on each other like this at all.
const SPREAD_OBVIOUS: f64 = 2.0;

/// A model that was fitted to evidence, with what is known of how far it is off.
pub(crate) struct Fitted {
    pub(crate) strengths: Strengths,
    pub(crate) jackknife: Jackknife,
    /// The points of each bot against all others, and how many there were.
    pub(super) points: Vec<[f64; 2]>,
    /// See [`Fitted::usual_lead`].
    usual_leads: Vec<f64>,
    pub(super) own_clusters: OwnClusters,
}

impl Fitted {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let mut model = DavidsonLuce::new(evidence);
        let mut point = vec![0.0; model.params];
        Fitter::new(&model).climb(&mut point);
        let least = |game: usize| {
            if evidence.openings[game] {
                SPREAD_SEEN
            } else {
                SPREAD_OBVIOUS
            }
        };
        let wide: Vec<usize> = (0..model.games.len())
            .filter(|game| model.games[*game].seats == 2)
            .filter(|game| model.evidence_of_spread(*game, &point) > least(*game))
            .collect();
        if !wide.is_empty() {
            model.fit_spreads(&wide);
            point.resize(model.params, 1.0);
            Fitter::new(&model).climb(&mut point);
        }
        let paths = Paths::new(&model);
        let mut jackknife = Jackknife::new(&model, &point, paths.groups());
        if evidence.clusters().next().is_some() {
            model.set_crowding(&crowding(&model, &jackknife, paths.groups()));
            Fitter::new(&model).climb(&mut point);
            jackknife = Jackknife::new(&model, &point, paths.groups());
        }
        Fitted {
            jackknife,
            points: model.points(),
            usual_leads: model.usual_leads(&point),
            own_clusters: OwnClusters::new(&model),
            strengths: Strengths {
                scale: Scale::new(&model, &point),
                paths,
                model,
                point,
            },
        }
    }

    pub(super) fn played(&self, bot: usize) -> bool {
        self.points[bot][1] > 0.0
    }

    /// How far seats of a game are apart in strength, on the average over matches that are as likely
    /// as not to be drawn: those say most about draws.
    pub(crate) fn usual_lead(&self, game: usize) -> f64 {
        self.usual_leads[game]
    }
}

/// How many matches count as one, by parameter: how much more what is known of it varies than it would
/// if matches were independent.
fn crowding(model: &DavidsonLuce, jackknife: &Jackknife, groups: &[usize]) -> Vec<f64> {
    let origin = Origin::new(groups, None);
    let whole = jackknife.covariance.is_whole();
    let sum = |param: usize| {
        let mut sum = Direction::default();
        if param < model.bots {
            let members = origin.members(param);
            let share = 1.0 / members.len() as f64;
            if whole {
                for bot in members {
                    sum.add(*bot, f64::from(u8::from(*bot == param)) - share);
                }
            } else {
                sum.add(param, 1.0);
                sum.add_mean(groups[param], -1.0);
            }
        } else {
            sum.add(param, 1.0);
        }
        sum
    };
    let sums: Vec<Direction> = (0..model.params).map(sum).collect();
    let variances = jackknife.covariance.variances(&sums).into_iter();
    let ratio = |[varied, usual]: [f64; 2]| if usual > 0.0 { varied / usual } else { 1.0 };
    variances.map(ratio).collect()
}
