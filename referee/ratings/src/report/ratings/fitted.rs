//! The fit of the model to evidence, with its uncertainty.

use crate::evidence::Evidence;
use crate::model::{
    DavidsonLuce, Direction, Fitter, Jackknife, Origin, OwnClusters, Paths, Scale, Strengths,
};

/// In games with several openings, their spread is fitted if the evidence for it exceeds this many standard
/// errors: to omit a real spread costs more than to fit a spurious one.
const SPREAD_SEEN: f64 = 1.0;
/// The same in games with one opening, where pairs should not correlate like this at all.
const SPREAD_OBVIOUS: f64 = 2.0;

/// A model fitted to evidence, with its uncertainty.
pub(crate) struct Fitted {
    pub(crate) strengths: Strengths,
    pub(crate) jackknife: Jackknife,
    /// By bot: its points against all others, and the number of points played for.
    pub(super) points: Vec<[f64; 2]>,
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

    /// The mean lead in strength in a game of two seats, with matches weighted by their information about
    /// draws.
    pub(crate) fn usual_lead(&self, game: usize) -> f64 {
        self.usual_leads[game]
    }
}

/// The crowding by parameter: the ratio of its variance to that of independent matches.
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
